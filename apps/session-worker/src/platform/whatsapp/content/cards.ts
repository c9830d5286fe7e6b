import type { ContactCard } from '@svc/contracts';
import { type Fields, text } from '../kinds/kind.js';
import { fields, list } from './words.js';

/** Most cards of a message, and most numbers of a card. */
const MOST = 100;
const MOST_NAME_CHARS = 200;
/** A number as a card has it: with its account (`waid`) before it, where the platform knows one. */
const NUMBER = /^(?:[\w-]+\.)?TEL(?<parameters>[^:\n]*):(?:tel:)?(?<number>[^\r\n]*)/gim;

/** Reads the contact cards of a message, with all their numbers; undefined for a message of another kind. */
export function cardsIn(type: string, content: unknown): ContactCard[] | undefined {
  if (type === 'contactMessage') return [cardOf(fields(content))];
  if (type === 'contactsArrayMessage') return list(fields(content)['contacts']).slice(0, MOST).map(cardOf);
  return undefined;
}

function cardOf({ displayName, vcard }: Fields): ContactCard {
  const numbers = [...(text(vcard) ?? '').matchAll(NUMBER)].map(({ groups }) => phoneIn(groups ?? {}));
  const phones = [...new Set(numbers.filter((phone) => phone !== undefined))].slice(0, MOST);
  return { displayName: text(displayName)?.slice(0, MOST_NAME_CHARS) ?? null, phones };
}

/** Reads a number in E.164 form; undefined for one that does not name its country. */
function phoneIn({ parameters = '', number = '' }: Record<string, string>): string | undefined {
  const account = /waid=(\d{5,15})/i.exec(parameters)?.[1];
  const digits = account ?? (number.trim().startsWith('+') ? number.replaceAll(/\D/g, '') : '');
  return /^\d{5,15}$/.test(digits) ? `+${digits}` : undefined;
}
