import type { Person } from '../people/person.js';
import { bundleNodes, registrationNode } from '../signal/key-bundle.js';
import { seconds, stanza } from '../wire/nodes.js';
import { type Delivery, receiptKey } from './delivery.js';
import type { Sender } from '../people/sender.js';

const MOST_RESENDS = 5;

/** Asks the account's device to send a message again that the person's phone could not read. */
export function requestResend(
  delivery: Delivery,
  sender: Sender,
  id: string,
  person: Person,
  where: { from: string; participant?: string },
): void {
  const key = `${sender.person.phone}/${id}`;
  const count = (person.pending.get(key) ?? 0) + 1;
  person.pending.set(key, count);
  if (count > MOST_RESENDS) return;
  const content = [
    stanza('retry', { count, id, t: seconds(), v: 1 }),
    registrationNode(person.device.registrationId),
  ];
  // The first request leaves it to the client to fetch new keys; a second one brings them along.
  if (count > 1) content.push(stanza('keys', {}, bundleNodes(person.device.bundle())));
  const node = stanza('receipt', { id, ...where, type: 'retry', t: seconds() }, content);
  delivery.enqueue(sender.person, sender.companion, {
    key: receiptKey('retry', id, where.participant),
    node,
  });
}
