import { counter } from '@svc/service';

/**
 * Reason for which something ended without an event: `address` no address of a person, `headless` no id or no sender, `refused` the database
 * never takes what it says, `receipt` the same of a receipt, `file` the same of the event about a message with a file, `unread` it cannot be
 * read and its author has not sent it again.
 */
export type UntoldReason = 'address' | 'headless' | 'refused' | 'receipt' | 'file' | 'unread';

const untold = counter('messages_untold_total', 'Messages and receipts of which nobody was told, by reason.');

/** Counts something that nobody hears of. Its line in the log says more. */
export function countUntold(reason: UntoldReason): void {
  untold.add({ reason });
}
