/** Event of a stream: its name, its id, its data. Both may be missing. */
export interface ServerSentEvent {
  event: string;
  id: string | undefined;
  data: string | undefined;
}

/** Reads server-sent events out of the pieces in which their text arrives. */
export class SseParser {
  /** Time to wait before the next connection, as the stream says. */
  retryMs: number | undefined;
  private readonly decoder = new TextDecoder();
  private rest = '';
  private lines: string[] = [];

  /** Takes a piece; returns the events that end in it. */
  take(piece: Uint8Array): ServerSentEvent[] {
    const text = this.rest + this.decoder.decode(piece, { stream: true });
    // A carriage return at the end may be half of a line break.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + text.slice(whole.length);
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): ServerSentEvent[] {
    if (line !== '') {
      this.lines.push(line);
      return [];
    }
    const { lines } = this;
    this.lines = [];
    return [this.parse(lines)];
  }

  private parse(lines: string[]): ServerSentEvent {
    const found: ServerSentEvent = { event: 'message', id: undefined, data: undefined };
    for (const line of lines) {
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'event') found.event = value;
      if (name === 'id') found.id = value;
      if (name === 'data') found.data = found.data === undefined ? value : `${found.data}\n${value}`;
      if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    }
    return found;
  }
}
