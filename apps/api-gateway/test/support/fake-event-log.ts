import {
  AppError,
  type Aspect,
  type ContactEventsReply,
  type EventLogReply,
  type LoggedEvent,
  type MessageReceivedV1,
  type ReadContactEventsV1,
  type ReadEventLogV1,
} from '@svc/contracts';

interface Numbered {
  event: LoggedEvent;
  seq: number;
}

const ASPECTS: Record<Aspect, (payload: Partial<MessageReceivedV1>) => boolean> = {
  groups: ({ isGroup }) => isGroup === true,
  own: ({ fromMe }) => fromMe === true,
  changes: ({ change }) => change !== undefined,
};

/** Numbers the events of a log from 1, and leaves out those up to a place. */
function behind(log: LoggedEvent[], after = '0'): Numbered[] {
  return log.map((event, index) => ({ event, seq: index + 1 })).filter(({ seq }) => seq > Number(after));
}

/** Reads a page of a log as the dispatcher does. @throws AppError `CURSOR_EXPIRED` for a number that it does not have. */
export function pageOf(log: LoggedEvent[], request: ReadEventLogV1): EventLogReply {
  const { after = '0', limit, event: kind, sessionId, without = [] } = request;
  if (Number(after) > log.length) throw new AppError('CURSOR_EXPIRED');
  const fits = ({ event }: Numbered): boolean =>
    (!kind || event.event === kind) &&
    (!sessionId || (event.payload as { sessionId?: string }).sessionId === sessionId) &&
    !without.some((aspect) => ASPECTS[aspect](event.payload));
  const hits = behind(log, after).filter(fits);
  const page = hits.slice(0, limit);
  const more = hits.length > page.length;
  const end = (more ? page.at(-1)?.seq : undefined) ?? log.length;
  return {
    events: page.map(({ event }) => event),
    positions: page.map(({ seq }) => String(seq)),
    ...(end === 0 ? { position: null, emptyAt: new Date().toISOString() } : { position: String(end) }),
    more,
  };
}

/** Finds the next event that names a contact: one at a time, as if the log were long. */
export function nextOf(
  log: LoggedEvent[],
  { contact, after }: Pick<ReadContactEventsV1, 'contact' | 'after'>,
): ContactEventsReply {
  const one = behind(log, after).find(({ event }) => JSON.stringify(event.payload).includes(`"${contact}"`));
  return one
    ? { events: [{ ...one.event, deadLetters: [] }], next: String(one.seq) }
    : { events: [], next: null };
}
