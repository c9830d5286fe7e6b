import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { STREAM_READERS, type StreamReader, STREAMS } from '@svc/contracts';
import { durablesOf } from './streams.js';

const READERS: StreamReader[] = Object.values(STREAM_READERS).filter(({ stream }) => stream === 'events');
/** Durable consumers of the apps that every installation has. */
const DURABLES = READERS.filter(({ isOptional }) => !isOptional).flatMap(durablesOf);
/** Those of apps that an installation may do without. */
const OPTIONAL_DURABLES = READERS.filter(({ isOptional }) => isOptional).flatMap(durablesOf);

/** Place up to which the stream of events is read. */
export interface EventsRead {
  /** Time at which the stream was created, which names it: a NATS that has lost its storage has another stream. */
  stream: string;
  /** It is the stream of the look before. */
  isSame: boolean;
  /** Number of an event: it, and all before it, are acknowledged by every app, or so old that the stream has dropped them. */
  upTo: number;
}

/** Looks at how far the apps have read the events. An app that has no consumer has read none, unless an installation may do without it. */
export class EventReaders {
  private readonly logger = new Logger(EventReaders.name);
  private isWarned = false;
  private before: { stream: string; last: number } | undefined;
  private readonly upTo = new Map<string, number>();

  constructor(private readonly manager: JetStreamManager) {}

  async look(): Promise<EventsRead> {
    const { before } = this;
    // The stream comes last: one that is still that of the look before was that meanwhile, too.
    const consumers = await this.consumers();
    const { created: stream, state } = await this.manager.streams.info(STREAMS.events);
    const last = before?.stream === stream ? before.last : undefined;
    if (last === undefined) this.upTo.clear();
    else for (const consumer of consumers) this.note(consumer, last);
    this.before = { stream, last: state.last_seq };
    const durables = [...DURABLES, ...OPTIONAL_DURABLES.filter((durable) => this.upTo.has(durable))];
    const read = Math.min(...durables.map((durable) => this.upTo.get(durable) ?? 0));
    return { stream, isSame: last !== undefined, upTo: Math.max(read, state.first_seq - 1) };
  }

  /** Lists the consumers of events; none where the server does not say it, for example because it has not been told of this right. */
  private async consumers(): Promise<ConsumerInfo[]> {
    const consumers: ConsumerInfo[] = [];
    try {
      for await (const consumer of this.manager.consumers.list(STREAMS.events)) consumers.push(consumer);
    } catch (error) {
      if (!this.isWarned) this.logger.warn(`The outbox keeps what may be read already: ${String(error)}`);
      this.isWarned = true;
    }
    return consumers;
  }

  /** @param last number that the stream had given before the consumer was looked at: one that waits for nothing has read all up to there. */
  private note({ name, ack_floor, num_pending, num_ack_pending }: ConsumerInfo, last: number): void {
    const upTo = num_pending === 0 && num_ack_pending === 0 ? last : ack_floor.stream_seq;
    this.upTo.set(name, Math.max(upTo, this.upTo.get(name) ?? 0));
  }
}
