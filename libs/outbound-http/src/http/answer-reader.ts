import { type AnswerHead, type Framing, InvalidAnswer, readHead } from './answer-head.js';

/** Most bytes of all heads of an answer together, and of all trailers. */
const MAX_HEAD = 16 * 1024;
/** Most bytes of the line that says how long a chunk is. */
const MAX_LINE = 1024;
const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
const HEAD_BEGIN = 'HTTP/1.';
const TOO_LONG = 'A head or a line is too long.';
const CHUNK_SIZE = /^([0-9a-f]{1,12})[\t ]*(?:;[^\r\n]*)?$/i;

/** Listener that takes the parts of an answer. */
export interface AnswerListener {
  /** Takes the status of the final head; those before it are skipped. */
  onStatus(status: number): void;
  /** Takes bytes of the body; when this returns they may be overwritten. */
  onData(bytes: Buffer): void;
}

type State = 'head' | 'bytes' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'rest' | 'complete';

/** The reader reads one answer of HTTP/1.1 as it comes in, piece by piece (RFC 9112). */
export class AnswerReader {
  private state: State = 'head';
  /** Text of a head or line that is not complete yet. */
  private text = '';
  /** Position in the current piece at which the reader goes on. */
  private position = 0;
  /** Bytes left of the body, or of a chunk of it. */
  private bytesLeft = 0;
  private headBytes = 0;
  private trailerBytes = 0;
  private final: AnswerHead | undefined;
  /** Bytes came behind the answer. */
  private hasExcess = false;

  constructor(private readonly listener: AnswerListener) {}

  get isComplete(): boolean {
    return this.state === 'complete';
  }

  /** Seconds for which the host leaves the connection open after a complete answer; 0: not at all, undefined: it does not say. */
  get keepAliveSeconds(): number | undefined {
    return this.hasExcess ? 0 : this.final?.keepAliveSeconds;
  }

  /**
   * @param buffer whose first `size` bytes came.
   * @throws InvalidAnswer
   */
  read(buffer: Buffer, size: number): void {
    this.position = 0;
    while (this.position < size && !this.isComplete) this.step(buffer, size);
    if (this.position < size) this.hasExcess = true;
  }

  /** Ends the body with the connection, where that is how it ends. */
  end(): void {
    if (this.state === 'rest') this.state = 'complete';
  }

  private step(buffer: Buffer, size: number): void {
    let text: string | undefined;
    switch (this.state) {
      case 'head':
        text = this.upTo(HEAD_END, MAX_HEAD, buffer, size);
        if (text !== undefined) this.head(text);
        break;
      case 'size':
        text = this.upTo(LINE_END, MAX_LINE, buffer, size);
        if (text !== undefined) this.chunkSize(text);
        break;
      case 'chunk end':
        if (this.upTo(LINE_END, 0, buffer, size) !== undefined) this.state = 'size';
        break;
      case 'trailers':
        text = this.upTo(LINE_END, MAX_HEAD, buffer, size);
        if (text !== undefined) this.trailer(text);
        break;
      default:
        this.body(buffer, size);
    }
  }

  /** Reads a head or line that ends like this; undefined until it is complete. */
  private upTo(end: string, most: number, buffer: Buffer, size: number): string | undefined {
    const at = this.position;
    // The line is complete in most cases: no more is read as text than belongs to it.
    const ends = this.text === '' ? buffer.indexOf(end, at, 'latin1') : -1;
    if (ends === -1 || ends + end.length > size) return this.upToAcrossPieces(end, most, buffer, size);
    if (ends - at > most) throw new InvalidAnswer(TOO_LONG);
    this.position = ends + end.length;
    return buffer.toString('latin1', at, ends);
  }

  /** Reads, as `upTo` does, one that comes in several pieces. */
  private upToAcrossPieces(end: string, most: number, buffer: Buffer, size: number): string | undefined {
    const before = this.text.length;
    const text =
      this.text + buffer.toString('latin1', this.position, Math.min(size, this.position + most + end.length));
    const length = text.indexOf(end, before - end.length);
    if (length === -1 ? text.length >= most + end.length : length > most) throw new InvalidAnswer(TOO_LONG);
    if (length === -1) {
      if (end === HEAD_END && !mayBecomeHead(text, before)) throw new InvalidAnswer('This is no head.');
      this.text = text;
      this.position = size;
      return undefined;
    }
    this.text = '';
    this.position += length + end.length - before;
    return text.slice(0, length);
  }

  private head(text: string): void {
    this.headBytes += text.length + HEAD_END.length;
    if (this.headBytes > MAX_HEAD) throw new InvalidAnswer(TOO_LONG);
    const head = readHead(text);
    if (head.status === 101) throw new InvalidAnswer('Nobody asked for another protocol.');
    if (head.status < 200) return; // the answer is still to come
    this.final = head;
    this.state = stateOf(head.framing);
    if (typeof head.framing === 'number') this.bytesLeft = head.framing;
    this.listener.onStatus(head.status);
  }

  private chunkSize(line: string): void {
    const digits = CHUNK_SIZE.exec(line)?.[1];
    if (digits === undefined) throw new InvalidAnswer('This is no size of a chunk.');
    this.bytesLeft = Number.parseInt(digits, 16);
    this.state = this.bytesLeft === 0 ? 'trailers' : 'chunk';
  }

  private trailer(line: string): void {
    this.trailerBytes += line.length + LINE_END.length;
    if (this.trailerBytes > MAX_HEAD) throw new InvalidAnswer(TOO_LONG);
    if (line === '') this.state = 'complete';
  }

  private body(buffer: Buffer, size: number): void {
    const { position: at, state } = this;
    const end = state === 'rest' ? size : Math.min(size, at + this.bytesLeft);
    this.position = end;
    if (state !== 'rest') {
      this.bytesLeft -= end - at;
      if (this.bytesLeft === 0) this.state = state === 'chunk' ? 'chunk end' : 'complete';
    }
    this.listener.onData(buffer.subarray(at, end));
  }
}

function stateOf(framing: Framing): State {
  if (framing === 'chunks') return 'size';
  if (framing === 'connection') return 'rest';
  return framing === 0 ? 'complete' : 'bytes';
}

/**
 * Says whether a text may still become a head: lines that end otherwise than they should would keep us waiting for its end.
 * @param before length of what was looked at before.
 */
function mayBecomeHead(text: string, before: number): boolean {
  if (!HEAD_BEGIN.startsWith(text.slice(0, HEAD_BEGIN.length))) return false;
  return !/[^\r]\n/.test(text.slice(Math.max(0, before - 1)));
}
