import { type ContactContent, digitsOf, phoneAddress } from '@svc/contracts';
import { type ReceivingKind, type SendingKind, text } from './kind.js';

/** A contact card. */
export const contact: SendingKind & ReceivingKind = {
  outgoing: ({ contact: card }, { content: { accounts = {} } }) => ({
    contacts: { contacts: [{ displayName: card.displayName, vcard: vcardOf(card, accounts) }] },
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

/** Writes a vCard 3.0; a phone offers to write to `waid`, which is the account of the number. */
function vcardOf({ displayName, phone }: ContactContent, accounts: Record<string, string>): string {
  const name = displayName.replaceAll(/[\\,;]/g, '\\$&').replaceAll(/\r?\n/g, '\\n');
  const digits = phone.replaceAll(/\D/g, '');
  const account = digitsOf(accounts[phoneAddress(digits)]) ?? digits;
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, `TEL;type=CELL;waid=${account}:+${digits}`];
  return [...lines, 'END:VCARD'].join('\n');
}
