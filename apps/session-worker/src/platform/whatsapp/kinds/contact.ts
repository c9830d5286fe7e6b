import type { ContactContent } from '@svc/contracts';
import { type ReceivingKind, type SendingKind, text } from './kind.js';

/** A contact card. */
export const contact: SendingKind & ReceivingKind = {
  outgoing: ({ contact: card }) => ({
    contacts: { contacts: [{ displayName: card.displayName, vcard: vcardOf(card) }] },
  }),
  quoted: ({ displayName }) => ({ contactMessage: { displayName } }),
  incoming: {
    contactMessage: {
      body: ({ displayName }) => ({ type: 'contact', displayName: text(displayName), count: 1 }),
    },
    contactsArrayMessage: {
      body: ({ displayName, contacts }) => ({
        type: 'contact',
        displayName: text(displayName),
        count: Array.isArray(contacts) ? contacts.length : 0,
      }),
    },
  },
};

/** Writes a vCard 3.0; a phone offers to write to `waid`. */
function vcardOf({ displayName, phone }: ContactContent): string {
  const name = displayName.replaceAll(/[\\,;]/g, '\\$&').replaceAll(/\r?\n/g, '\\n');
  const digits = phone.replaceAll(/\D/g, '');
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, `TEL;type=CELL;waid=${digits}:+${digits}`];
  return [...lines, 'END:VCARD'].join('\n');
}
