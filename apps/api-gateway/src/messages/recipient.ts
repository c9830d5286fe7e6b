import { formatAddress, invalidField, isUsual, parseAddress, phoneAddress } from '@svc/contracts';
import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.min';

/** Prefix that was dialled in Mexico until 2019, in front of a mobile number: it stands in contact lists behind the country code. */
const OLD_MEXICAN_PREFIX = /^(\+52[ .\-/]*)(?:01|04[45])(?=[ .\-/]*\d)/;

/** Form of an address that names a person. */
const PERSON = phoneAddress('<digits>');

/**
 * Makes the platform address of a chat: of a group, or of a person as `normalizeRecipient` takes it.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizeChat(to: string, field = 'to'): string {
  const text = visibleText(to);
  const address = parseAddress(text);
  return address?.kind === 'group' && isUsual(address) ? text : normalizeRecipient(text, field);
}

/**
 * Makes the platform address that a recipient stands for: a full address (its device number is dropped) or a phone number
 * in any usual international notation. Whatever an event hands out as `remoteJid` or `phone` is taken.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizeRecipient(to: string, field = 'to'): string {
  const text = visibleText(to);
  if (!text.includes('@')) return phoneAddress(normalizePhone(text, field));
  const address = parseAddress(text);
  const isOfPerson = address?.kind === 'phone' || address?.kind === 'hidden';
  if (!isOfPerson || !isUsual(address))
    throw invalidField(field, `${field} must be the address of a person: ${PERSON}`);
  return formatAddress({ ...address, device: 0 });
}

/**
 * Digits of a phone number in any usual international notation.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizePhone(phone: string, field = 'phone'): string {
  const digits = phoneDigits(visibleText(phone));
  if (!digits) throw invalidField(field, `${field} must be a phone number with its country code`);
  return digits;
}

/** Leaves out what nobody sees: marks of direction that a phone's contact list adds, joiners, and blanks around. */
function visibleText(text: string): string {
  return text.replace(/\p{Cf}/gu, '').trim();
}

/**
 * Numbering plans change faster than tables of them, and the platform keeps numbers in the form of an earlier plan
 * (Mexico's mobile numbers with a 1 after the country code). So where the table knows the country and not the number,
 * the digits count as they are written, unless no plan can have them.
 */
function phoneDigits(text: string): string | undefined {
  const written = international(text).replace(OLD_MEXICAN_PREFIX, '$1');
  const number = parsePhoneNumberFromString(written, { extract: false }, metadata);
  if (!number || number.ext) return undefined;
  const digits = number.isPossible() ? number.number.slice(1) : unlistedDigits(text, written);
  return /^\d{7,15}$/.test(digits) && !isImpossible(digits) ? digits : undefined;
}

/** Plans grow, by a digit at a time: none has a number that is shorter than all of its country, or two digits longer. */
function isImpossible(digits: string): boolean {
  const length = (part: string): string | undefined => validatePhoneNumberLength(`+${part}`, metadata);
  return length(digits) === 'TOO_SHORT' || length(digits.slice(0, -1)) === 'TOO_LONG';
}

/** Reads digits of no numbering plan: fewer than eleven without a `+` may as well be a number that lacks its country code. */
function unlistedDigits(text: string, written: string): string {
  const digits = /^\+[\d .\-/]+$/.test(written) ? written.replace(/\D/g, '') : '';
  return /^(tel:|whatsapp:)?[(]?(\+|00)/i.test(text) || digits.length >= 11 ? digits : '';
}

/**
 * `00` is how most of the world dials `+`; digits alone are taken as a number with its country code. A number that
 * starts with brackets or a single 0 is written for use inside one country, and which one is not said.
 */
function international(text: string): string {
  if (/^\([^+0]/.test(text)) return '';
  const bare = text.replace(/^(tel|whatsapp):/i, '').replace(/[()]/g, '');
  if (/^00\d/.test(bare)) return `+${bare.slice(2)}`;
  return /^[1-9]/.test(bare) ? `+${bare}` : bare;
}
