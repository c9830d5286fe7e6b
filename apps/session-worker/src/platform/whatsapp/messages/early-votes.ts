import { isGroup } from '@svc/contracts';
import type { InboundRecord } from '../../messages.js';
import type { AddressBook } from '../stanzas/address-book.js';
import { inboundRecord } from './inbound-record.js';
import { addressOf } from '../stanzas/jids.js';

/** Part of a sender that names a vote in the journal once more: it is told after its poll, which came later. */
const LATE = 'late';

/** Makes the records of the votes that came before a poll, which is about to be journaled. */
export async function earlyVoteRecords(poll: InboundRecord, book: AddressBook): Promise<InboundRecord[]> {
  if (poll.content?.body.type !== 'poll' || poll.content.change) return [];
  const { sender, keyId, plaintext } = poll;
  const store: AddressBook['store'] = {
    ...book.store,
    sent: (id) => book.store.sent(id),
    journaledOf: async (senders, id) =>
      id === keyId && senders.includes(sender) ? { sender, plaintext } : book.store.journaledOf(senders, id),
    // One that does not belong to this poll either stays where it is.
    keepEarlyVote: async () => undefined,
  };
  const votes = await book.store.earlyVotes(keyId);
  const records = votes.map(({ attrs, plaintext: words, ...place }) =>
    inboundRecord(
      { tag: 'message', attrs },
      words,
      { sender: lateName(place.sender), keyId: place.keyId, isKey: false },
      { ...book, store },
    ),
  );
  return (await Promise.all(records)).filter((record) => record?.vote !== undefined) as InboundRecord[];
}

/** Names a sender so that its person is still found in it, as in the name of a sender in a group. */
function lateName(sender: string): string {
  const [chat = ''] = sender.split('|');
  return isGroup(addressOf(chat)) ? `${sender}|${LATE}` : `${LATE}|${sender}`;
}
