import { log } from '@svc/service';
import { countUntold } from '../../../untold.js';
import { BoundedCache } from '../library/library-options.js';
import { kindsIn } from '../messages/inbound-record.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { nameOf } from '../messages/stanzas-in-hand.js';

/** Time in which the author of a message that cannot be read usually has sent it again, in ms. */
const LATE_MS = 30_000;
/** Most messages that are waited for at a time: more are counted at once. */
const MOST_WAITING = 1_000;

/** Messages that were waited for by this process: the platform brings them with each login. */
const met = new BoundedCache(10_000);
let waiting = 0;

/**
 * Counts a message that could not be read and that its author has not sent again after a while, once in a process. It is told when that
 * comes after all, or was in vain too often.
 * @param own the own number.
 * @param isRead says whether it is in the journal.
 */
export function watchUnread(stanza: Stanza, own: string, isRead: () => Promise<boolean>): void {
  const name = `${own}|${nameOf(stanza)}`;
  if (met.get(name)) return;
  met.set(name, true);
  if (waiting >= MOST_WAITING) return countUntold('unread');
  const kinds = kindsIn(stanza);
  waiting += 1;
  const look = async (): Promise<void> => {
    waiting -= 1;
    try {
      if (await isRead()) return;
      countUntold('unread');
      log().warn(kinds, 'a message cannot be read, and its author has not sent it again: it is not told');
    } catch (error) {
      met.del(name); // the next login brings it
      log().warn({ err: error }, 'it is not known whether a message was read');
    }
  };
  setTimeout(() => void look(), LATE_MS).unref();
}
