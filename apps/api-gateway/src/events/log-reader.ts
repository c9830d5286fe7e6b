import { Injectable } from '@nestjs/common';
import {
  type Aspect,
  type EventLogReply,
  FindEventLogEnds,
  type LoggedEvent,
  ReadEventLog,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { withoutNulls } from '../edge/without-nulls.js';

/** Events of one question: few enough to be held for each of many streams. */
const PART = 100;

/** Place before the first event of a log, for who came when there was none: no event has this number. */
export const BEGINNING = '0';

/** Makes the place of the beginning, with the time: the next events may be deleted before the reader is back. */
function beginningAt(time: string | undefined): string {
  return time === undefined ? BEGINNING : `${BEGINNING}@${time}`;
}

/** Makes the fields of a request that name a place to the dispatcher. */
export function placeIn(position: string | undefined): { after?: string; emptyAt?: string } {
  const [after, emptyAt] = position?.split('@') ?? [];
  return withoutNulls({ after: after === BEGINNING ? undefined : after, emptyAt });
}

/** A place in a tenant's log, and what is read from there. `after`: a number of the log, or `beginningAt`; left out: from the first. */
export interface LogPlace {
  tenantId: string;
  after?: string | undefined;
  event?: string | undefined;
  sessionId?: string | undefined;
  /** Aspects of events that are left out. */
  without: Aspect[];
}

/** Events that come after a place, each with its number, where that is available. */
export interface LogPart {
  events: { event: LoggedEvent; position: string | undefined }[];
  /** Place up to which the log was read. */
  position: string | undefined;
  more: boolean;
}

/** This class reads logs for those who follow them: who waits at the same place shares one question with the others. */
@Injectable()
export class LogReader {
  private readonly underWay = new Map<string, Promise<LogPart>>();

  constructor(private readonly rpc: RpcClient) {}

  /** @throws AppError `CURSOR_EXPIRED`, or that the dispatcher does not answer. */
  read(place: LogPlace): Promise<LogPart> {
    const { tenantId, after, event, sessionId, without } = place;
    const key = [tenantId, after, event, sessionId, without].join(' ');
    const shared = this.underWay.get(key) ?? this.ask(place);
    this.underWay.set(key, shared);
    const forget = (): void => void this.underWay.delete(key);
    shared.then(forget, forget);
    return shared;
  }

  /** Reads the number of the last event of each of these logs, `BEGINNING` where there is none. At most 1,000 at a time. */
  async endsOf(tenantIds: string[]): Promise<string[]> {
    return (await this.rpc.request(FindEventLogEnds, { tenantIds })).ends;
  }

  /** Reads where the log of a tenant ends, as a place to go on from. */
  async endOf(tenantId: string): Promise<string> {
    const { ends, at } = await this.rpc.request(FindEventLogEnds, { tenantIds: [tenantId] });
    const [end = BEGINNING] = ends;
    return end === BEGINNING ? beginningAt(at) : end;
  }

  private async ask({ tenantId, after, event, sessionId, without }: LogPlace): Promise<LogPart> {
    const filters = { ...withoutNulls({ event, sessionId }), without };
    const request = { ...placeIn(after), ...filters, tenantId, limit: PART };
    return partOf(await this.rpc.request(ReadEventLog, request), after);
  }
}

function partOf(
  { events, positions, position, emptyAt, more }: EventLogReply,
  after: string | undefined,
): LogPart {
  // A dispatcher of the release before knows the number of the last one only: the others are no places to resume at.
  const numberOf = (index: number): string | undefined =>
    positions ? positions[index] : index === events.length - 1 ? (position ?? undefined) : undefined;
  return {
    events: events.map((event, index) => ({ event, position: numberOf(index) })),
    position: position ?? (emptyAt ? beginningAt(emptyAt) : after),
    more,
  };
}
