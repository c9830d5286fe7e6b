import { get, type IncomingMessage } from 'node:http';
import { waitFor } from '@svc/testing';

/** One frame of a stream of server-sent events; `event` is `comment` where it is nothing else. */
export interface Frame {
  event: string;
  id: string | undefined;
  data: Record<string, unknown> | undefined;
}

/** A reader of server-sent events, written from their standard alone. */
export class StreamReader {
  readonly frames: Frame[] = [];
  /** The stream has ended, in whatever way. */
  ended = false;
  /** Text of the whole stream. */
  raw = '';
  private text = '';

  private constructor(readonly response: IncomingMessage) {}

  /**
   * Opens a stream over a connection of its own, which is gone with the reader: `fetch` opens another one immediately, and a gateway that
   * stops waits for what may come over it.
   * @param read false: takes nothing of the answer before `readOn`
   */
  static async open(url: string, headers: Record<string, string>, read = true): Promise<StreamReader> {
    const response = await new Promise<IncomingMessage>((done, failed) => {
      get(url, { headers, agent: false }, done).once('error', failed);
    });
    const reader = new StreamReader(response);
    if (read) void reader.readOn();
    return reader;
  }

  /** Lists the events of the tenant, in order; frames about the stream itself are left out. */
  get events(): Frame[] {
    return this.frames.filter(({ event }) => event !== 'comment' && !event.startsWith('stream.'));
  }

  /** Returns the last id: of an event, or one that came alone. */
  get lastId(): string | undefined {
    return this.frames.findLast(({ id }) => id !== undefined)?.id;
  }

  /** Resolves with the reason for the end of the stream, after the end. */
  async reason(): Promise<unknown> {
    await waitFor('the end of the stream', () => this.ended);
    return this.frames.find(({ event }) => event === 'stream.closing')?.data?.['reason'];
  }

  until(count: number): Promise<unknown> {
    return waitFor(`${count} events`, () => this.events.length >= count);
  }

  leave(): void {
    this.response.destroy();
  }

  async readOn(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response as AsyncIterable<Uint8Array>) {
        this.take(decoder.decode(chunk, { stream: true }));
      }
    } catch {
      // Cut off, by one side or the other.
    }
    this.ended = true;
  }

  private take(text: string): void {
    this.raw += text;
    const pieces = (this.text + text).split('\n\n');
    this.text = pieces.pop() ?? '';
    this.frames.push(...pieces.map(parseFrame));
  }
}

function parseFrame(text: string): Frame {
  const fields = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/:(.*)/s);
      return [name, value.replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  return {
    event: fields.get('event') ?? 'comment',
    id: fields.get('id'),
    data: data === undefined ? undefined : (JSON.parse(data) as Record<string, unknown>),
  };
}
