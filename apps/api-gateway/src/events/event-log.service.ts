import { Injectable } from '@nestjs/common';
import { type Aspect, ASPECTS, type EventLogPage, type EventLogQuery, ReadEventLog } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { Caller } from '../auth/authorization.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { placeIn } from './log-reader.js';
import { eventFor } from './restricted-fields.js';

/** Names the list that cursors of a tenant's events belong to: pages and streams have them in common. */
export function listOfEvents(tenantId: string): string {
  return `events:${tenantId}`;
}

/** Lists the aspects that a query leaves out. */
export function leftOut(heard: Pick<EventLogQuery, Aspect>): Aspect[] {
  return ASPECTS.filter((aspect) => heard[aspect] === false);
}

/** This class reads the events of a tenant, as `webhook-dispatcher` keeps them. */
@Injectable()
export class EventLogService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
  ) {}

  async read(
    { tenantId, scopes }: Caller,
    { limit = DEFAULT_LIMIT, after: cursor, event, sessionId, ...heard }: EventLogQuery,
  ): Promise<EventLogPage> {
    const list = listOfEvents(tenantId);
    const place = placeIn(this.cursors.decode(list, cursor, 'after'));
    const without = leftOut(heard);
    const request = { ...place, ...withoutNulls({ event, sessionId }), tenantId, limit, without };
    const { events, position, more } = await this.rpc.request(ReadEventLog, request);
    return {
      items: events.map((event) => eventFor(scopes, event)),
      nextCursor: position === null ? null : this.cursors.encode(list, position),
      more,
    };
  }
}
