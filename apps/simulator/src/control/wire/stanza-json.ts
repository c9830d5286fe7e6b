import { Refusal } from '../../http/refusal.js';
import { type Stanza, stanza } from '../../wire/nodes.js';

/** Reads a stanza written as JSON: attributes are text, content is text, bytes as `{base64}`, or more stanzas. */
export function readStanza(value: unknown, path = 'stanza'): Stanza {
  if (!isRecord(value) || typeof value.tag !== 'string' || value.tag === '') {
    throw invalid(path, `${path} must be an object with a tag`);
  }
  const { tag, attrs = {}, content } = value;
  if (!isRecord(attrs) || Object.values(attrs).some((each) => typeof each !== 'string')) {
    throw invalid(path, `${path}.attrs must be an object of texts`);
  }
  return stanza(tag, attrs as Record<string, string>, readContent(content, path));
}

function readContent(content: unknown, path: string): Stanza['content'] {
  if (content === undefined || typeof content === 'string') return content;
  if (Array.isArray(content)) {
    return content.map((each, index) => readStanza(each, `${path}.content.${index}`));
  }
  if (isRecord(content) && typeof content.base64 === 'string') return Buffer.from(content.base64, 'base64');
  throw invalid(path, `${path}.content must be text, {base64} or a list of stanzas`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (path: string, words: string): Refusal =>
  new Refusal(400, 'VALIDATION_FAILED', words, { fields: { [path]: [words] } });
