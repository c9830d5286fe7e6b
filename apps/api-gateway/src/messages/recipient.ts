import { invalidField } from '@svc/contracts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.min';

const DOMAIN = 's.whatsapp.net';
const ADDRESS = /^(\d{7,15})(?::\d{1,5})?@s\.whatsapp\.net$/;
/** What a contact is known by whose number the platform hides. */
const HIDDEN = /^(\d{5,20})(?::\d{1,5})?@lid$/;
/** Older groups carry the number of their founder. */
const GROUP = /^\d{5,25}(-\d{5,20})?@g\.us$/;

/** Whether an address is that of a group. */
export const isGroup = (address: string): boolean => GROUP.test(address);

/**
 * Makes the platform address of a chat: of a group, or of a person as `normalizeRecipient` takes it.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizeChat(to: string, field = 'to'): string {
  const text = to.trim();
  return isGroup(text) ? text : normalizeRecipient(text, field);
}

/**
 * Makes the platform address that a recipient stands for: a full address (its device number is dropped) or a phone number
 * in any usual international notation. Whatever an event hands out as `remoteJid` or `phone` is taken.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizeRecipient(to: string, field = 'to'): string {
  const text = to.trim();
  const hidden = HIDDEN.exec(text)?.[1];
  if (hidden) return `${hidden}@lid`;
  if (text.includes('@')) {
    const [, digits] = ADDRESS.exec(text) ?? [];
    if (!digits) throw invalidField(field, `${field} must be the address of a person: <digits>@${DOMAIN}`);
    return `${digits}@${DOMAIN}`;
  }
  return `${normalizePhone(text, field)}@${DOMAIN}`;
}

/**
 * Digits of a phone number in any usual international notation.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizePhone(phone: string, field = 'phone'): string {
  const digits = phoneDigits(phone.trim());
  if (!digits) throw invalidField(field, `${field} must be a phone number with its country code`);
  return digits;
}

/**
 * Numbering plans change faster than tables of them, and the platform keeps numbers in the form of an earlier plan
 * (Mexico's mobile numbers with a 1 after the country code). So where the table knows the country and not the number,
 * the digits count as they are written.
 */
function phoneDigits(text: string): string | undefined {
  const written = international(text);
  const number = parsePhoneNumberFromString(written, { extract: false }, metadata);
  if (!number || number.ext) return undefined;
  const digits = number.isPossible() ? number.number.slice(1) : unlistedDigits(text, written);
  return /^\d{7,15}$/.test(digits) ? digits : undefined;
}

/** Fewer than eleven digits without a `+` may as well be a number that lacks its country code. */
function unlistedDigits(text: string, written: string): string {
  const digits = /^\+[\d .\-/]+$/.test(written) ? written.replace(/\D/g, '') : '';
  return /^(tel:)?[(]?(\+|00)/i.test(text) || digits.length >= 11 ? digits : '';
}

/**
 * `00` is how most of the world dials `+`; digits alone are taken as a number with its country code. A number that
 * starts with brackets or a single 0 is written for use inside one country, and which one is not said.
 */
function international(text: string): string {
  if (/^\([^+0]/.test(text)) return '';
  const bare = text.replace(/^tel:/i, '').replace(/[()]/g, '');
  if (/^00\d/.test(bare)) return `+${bare.slice(2)}`;
  return /^[1-9]/.test(bare) ? `+${bare}` : bare;
}
