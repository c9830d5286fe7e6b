import { MESSAGE_STATUSES, type MessageStatus } from '@svc/contracts';

/**
 * The rank of a state says how far a message has come. Events arrive in any order, so a state only replaces one of a lower rank: a message that
 * was sent does not fail any more, and a receipt proves that one given up for failed did arrive.
 */
const RANK: Record<MessageStatus, number> = {
  QUEUED: 0,
  SENDING: 1,
  SENT: 2,
  FAILED: 2,
  DELIVERED: 3,
  READ: 4,
  RECEIVED: 9,
};

/** States that `next` may replace. */
export function statesBefore(next: MessageStatus): MessageStatus[] {
  return MESSAGE_STATUSES.filter((status) => RANK[status] < RANK[next]);
}
