import { ValidateBy } from 'class-validator';

/** This text replaces the value of a custom header in every answer; in a change it leaves the stored value as it is. */
export const HIDDEN_VALUE = '***';

/** Most custom headers of an endpoint, or of a tool. */
export const MOST_HEADERS = 10;
/** Most characters of their names and values together. */
export const MOST_HEADER_CHARACTERS = 4096;

/** Schema of custom headers, for the API description. */
export const HEADERS_SCHEMA = {
  type: 'object' as const,
  maxProperties: MOST_HEADERS,
  additionalProperties: { type: 'string' as const, minLength: 1, description: 'Value: printable ASCII.' },
  example: { Authorization: 'Bearer a-token-of-yours' },
};

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
const OURS = /^(?:x-svc-|x-webhook-|webhook-)/;
/** Headers that frame the request or belong to one connection (RFC 9110, 7.6.1), and those that describe the body. */
const RESERVED = new Set([
  ...[
    'host',
    'content-length',
    'content-type',
    'content-encoding',
    'user-agent',
    'expect',
    'accept-encoding',
  ],
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Rules for the custom headers of an endpoint, or of a tool: any receiver gets them as they were written, and none is ours to set. */
export function IsHeaders(): PropertyDecorator {
  return ValidateBy({
    name: 'isHeaders',
    validator: {
      validate: (value: unknown) => problemWith(value) === undefined,
      defaultMessage: (where) => `headers ${problemWith(where?.value)}`,
    },
  });
}

/** Names the header that is wrong, never its value: it may be a token. */
function problemWith(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    return 'must be an object of names and values';
  }
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS) return `must be ${MOST_HEADERS} at most`;
  const seen = new Set<string>();
  let characters = 0;
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const problem = seen.has(lower)
      ? 'must be given once'
      : (nameProblem(name, lower) ?? valueProblem(value));
    if (problem) return `${JSON.stringify(name.slice(0, 100))} ${problem}`;
    seen.add(lower);
    characters += name.length + String(value).length;
  }
  const tooMany = characters > MOST_HEADER_CHARACTERS;
  return tooMany
    ? `must be ${MOST_HEADER_CHARACTERS} characters at most, names and values together`
    : undefined;
}

function nameProblem(name: string, lower: string): string | undefined {
  if (!NAME.test(name)) return 'must be a header name: a token of RFC 9110, 1 to 100 characters';
  if (OURS.test(lower) || RESERVED.has(lower)) return 'must not be given: it is set by the gateway';
  return undefined;
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && VALUE.test(value)) return undefined;
  return 'must have a value of printable ASCII characters, without blanks around it';
}
