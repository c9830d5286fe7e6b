import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError, type EventStreamQuery, invalidField } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../auth/authorization.js';
import { KeyWatch } from './key-watch.js';
import { GatewayConfig } from '../config.js';
import { Cursors } from '../paging/cursor.js';
import { leftOut, listOfEvents } from './event-log.service.js';
import { EventStream } from './event-stream.js';
import { type LogPart, LogReader, type LogPlace } from './log-reader.js';
import { LogTail } from './log-tail.js';
import { partFor } from './restricted-fields.js';
import { StreamResponse } from './stream-response.js';
import { StreamSlots } from './stream-slots.js';

/** Time between two checks of the keys, in ms: a revoked key receives no event a second later. */
const KEYS_MS = 500;
const LONGEST_CURSOR = 512;
/** Headers that forbid proxies to delay an event, or to store it. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // A connection that stays open for a next request would hold up a process that wants to end.
  connection: 'close',
};

/** This class holds the open streams of this process: it says who may have one, and when it ends. */
@Injectable()
export class EventStreams implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly open = new Map<EventStream, { kid: string; ended: Promise<void> }>();
  private readonly slots: StreamSlots;
  private stopping = false;

  constructor(
    config: GatewayConfig,
    private readonly reader: LogReader,
    private readonly tail: LogTail,
    private readonly keys: KeyWatch,
    private readonly cursors: Cursors,
    tasks: PeriodicTasks,
  ) {
    tasks.add('keys of streams', KEYS_MS, () => this.checkKeys());
    const { eventStreams: inAll, eventStreamsPerTenant: perTenant } = config;
    this.slots = new StreamSlots({ inAll, perTenant, perKey: Math.ceil(perTenant / 2) });
  }

  /** Ends all streams; their readers come back, to another replica or to the next process. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    const streams = [...this.open];
    for (const [stream] of streams) stream.end('SHUTTING_DOWN');
    await Promise.all(streams.map(([, { ended }]) => ended));
  }

  /** Ends a stream that was let in while the others ended. */
  beforeApplicationShutdown(): void {
    for (const stream of this.open.keys()) stream.end('SHUTTING_DOWN');
  }

  /**
   * Answers with a stream from the cursor on, `lastEventId` before that of the query; without one from now on.
   * @throws AppError before anything is written; afterwards the stream itself says why it ends.
   */
  async follow(
    caller: Caller,
    query: EventStreamQuery,
    lastEventId: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    if (this.stopping) throw new AppError('UPSTREAM_UNAVAILABLE', 'This process is about to end.');
    const giveBack = this.slots.take(caller);
    try {
      const place = await this.placeOf(caller, query, lastEventId);
      const read = async (at: LogPlace): Promise<LogPart> =>
        partFor(caller.scopes, await this.reader.read(at));
      const first = await read(place);
      reply.hijack();
      const out = new StreamResponse(reply.raw);
      if (out.isOpen) out.open({ ...HEADERS, 'x-request-id': reply.request.id });
      if (reply.request.method === 'HEAD') reply.raw.end();
      const cursorOf = (position: string): string =>
        this.cursors.encode(listOfEvents(caller.tenantId), position);
      const stream = new EventStream(place, { read, cursorOf }, out);
      // The place is free as soon as the reader leaves, not at the end of its last turn: a reader that comes back immediately has room.
      out.onLeave(giveBack);
      this.register(stream, caller, stream.run(first));
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private register(stream: EventStream, { kid, tenantId }: Caller, run: Promise<void>): void {
    const unwatch = this.tail.watch(tenantId, stream.wake);
    const ended = run
      .catch((error: unknown) => {
        log().error({ err: error, tenantId }, 'an event stream failed');
        stream.end('INTERNAL');
      })
      .finally(() => {
        unwatch();
        this.open.delete(stream);
      });
    this.open.set(stream, { kid, ended });
  }

  private async placeOf(
    { tenantId }: Caller,
    { after, event, sessionId, ...heard }: EventStreamQuery,
    lastEventId: string | undefined,
  ): Promise<LogPlace> {
    const filters = { tenantId, event, sessionId, without: leftOut(heard) };
    if (lastEventId && lastEventId.length > LONGEST_CURSOR) {
      throw invalidField(
        'Last-Event-ID',
        `Last-Event-ID must be shorter than or equal to ${LONGEST_CURSOR} characters`,
      );
    }
    const [cursor, field] = lastEventId ? [lastEventId, 'Last-Event-ID'] : [after, 'after'];
    const position = this.cursors.decode(listOfEvents(tenantId), cursor ?? undefined, field);
    return { ...filters, after: cursor ? position : await this.reader.endOf(tenantId) };
  }

  private async checkKeys(): Promise<void> {
    const kids = [...new Set([...this.open.values()].map(({ kid }) => kid))];
    if (kids.length === 0) return;
    const ended = await this.keys.ended(kids);
    for (const [stream, { kid }] of this.open) {
      const reason = ended.get(kid);
      if (reason) stream.end(reason);
    }
  }
}
