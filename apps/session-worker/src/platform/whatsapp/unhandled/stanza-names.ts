import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { isBeginning } from './known-stanzas.js';

/** Form of a name. What has another one may say something of a person, and is not written down. */
const PLAIN = /^[A-Za-z][\w:.-]{0,59}$/;
const DIGITS = /\d{5}/;
/** Name of what has none that may be written down. */
const NAMELESS = 'nameless';
/** Types of an `iq` that answers one of ours. */
const ANSWERS = new Set(['result', 'error']);
/** Parts of a message that are looked at. */
const MOST_PARTS = 20;

/** Words of a stanza behind its tag, by tag; what has another tag is named by its first part. */
const WORDS: Record<string, (stanza: BinaryNode, part?: BinaryNode) => (string | undefined)[]> = {
  iq: ({ attrs }, part) => [part?.tag ?? attrs['xmlns']],
  // An update of the platform's GraphQL says what it is about.
  notification: ({ attrs }, part) => [attrs['type'], part?.attrs['op_name'] ?? part?.tag],
  receipt: ({ attrs }) => [attrs['type'] ?? 'delivered'],
};

/** Gives the names under which a stanza is counted; a message has one for each kind of its parts, an answer has none. */
export function namesOf(stanza: BinaryNode): string[] {
  const { tag, attrs } = stanza;
  const parts = getAllBinaryNodeChildren(stanza);
  if (tag === 'message') return [...new Set(parts.slice(0, MOST_PARTS).map(nameOfPart))];
  if (tag === 'iq' && ANSWERS.has(attrs['type'] ?? '')) return [];
  const words = WORDS[tag]?.(stanza, parts[0]) ?? [parts[0]?.tag];
  return [nameFrom(tag, ...words)];
}

const nameOfPart = ({ tag, attrs }: BinaryNode): string => nameFrom('message', tag, attrs['type']);

/** Joins words to a name, as many as the table has for what begins so. */
function nameFrom(first: string, ...others: (string | undefined)[]): string {
  let name = plain(first);
  for (const word of others) if (isBeginning(name)) name += ` ${plain(word)}`;
  return name;
}

/** Gives a word as it is, if it is nothing but a name. */
export function plain(word: string | undefined): string {
  return word !== undefined && PLAIN.test(word) && !DIGITS.test(word) ? word : NAMELESS;
}
