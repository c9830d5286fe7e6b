import { type ContactContent, digitsOf, phoneAddress } from '@svc/contracts';
import { type Fields, type ReceivingKind, type SendingKind, text } from './kind.js';

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
      // The message has a name of its own, such as "2 contacts", in the language of whoever sent it.
      body: ({ contacts }) => {
        const cards = Array.isArray(contacts) ? (contacts as (Fields | null)[]) : [];
        return { type: 'contact', displayName: text(cards[0]?.['displayName']), count: cards.length };
      },
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
