/** The host sent what is no answer, by RFC 9112. */
export class InvalidAnswer extends Error {
  readonly code = 'INVALID_ANSWER';
}

/** The framing says where a body ends (RFC 9112, 6.3): after so many bytes, by chunks, or with the connection. */
export type Framing = number | 'chunks' | 'connection';

/** The head of an answer, as far as it matters. */
export interface AnswerHead {
  status: number;
  framing: Framing;
  /** Time for which the host leaves the connection open, in seconds; 0: not at all, undefined: it does not say. */
  keepAliveSeconds: number | undefined;
}

/** Headers that are read, by their names; those of one name are one list (RFC 9110, 5.3). */
type RelevantHeaders = Record<
  'connection' | 'keep-alive' | 'content-length' | 'transfer-encoding',
  string | undefined
>;

const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n]*)?$/;
const STATUS_AT = 9;
const NAME = /^[!-9;-~]+$/;
const UNFIT = /[\r\n\0]/;
const DIGITS = /^\d{1,15}$/;
const TIMEOUT = /(?:^|[\t ,])timeout=(\d{1,9})/i;

/**
 * Reads the head of an answer.
 * @param text status line and headers, as latin1, without the empty line at the end.
 * @throws InvalidAnswer
 */
export function readHead(text: string): AnswerHead {
  const lines = text.split('\r\n');
  const [first = ''] = lines;
  if (!STATUS_LINE.test(first)) throw new InvalidAnswer('This is no status line.');
  const headers: RelevantHeaders = {
    connection: undefined,
    'keep-alive': undefined,
    'content-length': undefined,
    'transfer-encoding': undefined,
  };
  for (let n = 1; n < lines.length; n += 1) readHeader(lines[n] ?? '', headers);
  const status = Number(first.slice(STATUS_AT, STATUS_AT + 3));
  return {
    status,
    framing: framingOf(status, headers),
    keepAliveSeconds: isKeepAlive(first, headers) ? secondsOf(headers['keep-alive']) : 0,
  };
}

/** Reads one line. Each pattern has one part only: two that take the same characters would make a long line a matter of minutes. */
function readHeader(line: string, headers: RelevantHeaders): void {
  const colon = line.indexOf(':');
  const field = line.slice(0, Math.max(0, colon));
  if (!NAME.test(field) || UNFIT.test(line)) throw new InvalidAnswer('This is no header.');
  // A look at the length excludes most of the headers that do not matter.
  if (colon !== 10 && colon !== 14 && colon !== 17) return;
  const name = field.toLowerCase() as keyof RelevantHeaders;
  if (!Object.hasOwn(headers, name)) return;
  const [before, value] = [headers[name], withoutBlanks(line.slice(colon + 1))];
  headers[name] = before === undefined ? value : `${before},${value}`;
}

/** Strips the blanks of HTTP, which are space and tab. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

function framingOf(
  status: number,
  { 'content-length': length, 'transfer-encoding': coding }: RelevantHeaders,
): Framing {
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) return isChunked(coding) ? 'chunks' : 'connection';
  if (length === undefined) return 'connection';
  // A length that comes twice is the same one (RFC 9112, 6.3).
  const [first = '', ...others] = length.split(',').map(withoutBlanks);
  const isOne = DIGITS.test(first) && others.every((other) => other === first);
  if (!isOne) throw new InvalidAnswer('This is no length.');
  return Number(first);
}

/** Says whether chunks are the last coding. */
function isChunked(coding: string): boolean {
  return withoutBlanks(coding.split(',').at(-1) ?? '').toLowerCase() === 'chunked';
}

/**
 * Says whether the connection stays open. It does not with a length besides a coding, or a coding in HTTP/1.0: somebody on the way may see
 * another end than we do.
 */
function isKeepAlive(statusLine: string, headers: RelevantHeaders): boolean {
  const connection = headers.connection?.toLowerCase() ?? '';
  if (connection.includes('close')) return false;
  const [hasLength, hasCoding] = [headers['content-length'], headers['transfer-encoding']].map(Boolean);
  if (statusLine.startsWith('HTTP/1.1')) return !(hasLength && hasCoding);
  return connection.includes('keep-alive') && !hasCoding;
}

function secondsOf(keepAlive: string | undefined): number | undefined {
  const seconds = keepAlive && TIMEOUT.exec(keepAlive)?.[1];
  return seconds ? Number(seconds) : undefined;
}
