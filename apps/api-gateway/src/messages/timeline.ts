import type { MessageStatus, MessageView } from '@svc/contracts';
import type { Message } from './message.entity.js';

type MessageStep = MessageView['timeline'][number];

/** State of a message that has an event; its time is stored. */
export type TimedState = 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';

/**
 * Lists the states a message has come through, by rank and not by their times, which are those of several clocks.
 * A message whose state has no time, because an earlier release kept none, has the time of its last change there.
 */
export function timelineOf(message: Message): MessageStep[] {
  const { direction, status, origin, createdAt, updatedAt } = message;
  // An inbound message has one state, also one that the number's own phone wrote.
  if (direction === 'INBOUND' || origin) return [step(status, createdAt)];
  const times: [MessageStatus, Date | null][] = [
    ['QUEUED', createdAt],
    ['SENT', message.sentAt],
    ['FAILED', message.failedAt],
    ['DELIVERED', message.deliveredAt],
    ['READ', message.readAt],
  ];
  return times.flatMap(([state, time]) => {
    const at = time ?? (state === status ? updatedAt : null);
    return at ? [step(state, at)] : [];
  });
}

function step(status: MessageStatus, at: Date): MessageStep {
  return { status, at: at.toISOString() };
}
