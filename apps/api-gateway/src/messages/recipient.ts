import { AppError } from '@svc/contracts';
import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.min';

const DOMAIN = 's.whatsapp.net';
const ADDRESS = /^(\d{7,15})(?::\d{1,5})?@s\.whatsapp\.net$/;

/**
 * The platform address that a recipient stands for: a full address (its device number is dropped) or a phone number
 * in any usual international notation. "Possible" is enough: numbering plans change faster than tables of them.
 * @throws AppError `VALIDATION_FAILED` naming the field.
 */
export function normalizeRecipient(to: string, field = 'to'): string {
  const text = to.trim();
  if (text.includes('@')) {
    const [, digits] = ADDRESS.exec(text) ?? [];
    if (!digits) throw refused(field, `${field} must be the address of one person: <digits>@${DOMAIN}`);
    return `${digits}@${DOMAIN}`;
  }
  const digits = phoneDigits(text);
  if (!digits) throw refused(field, `${field} must be a phone number with its country code`);
  return `${digits}@${DOMAIN}`;
}

function phoneDigits(text: string): string | undefined {
  const number = parsePhoneNumberFromString(international(text), { extract: false }, metadata);
  if (!number?.isPossible() || number.ext) return undefined;
  const digits = number.number.slice(1);
  return /^\d{7,15}$/.test(digits) ? digits : undefined;
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

function refused(field: string, rule: string): AppError {
  return new AppError('VALIDATION_FAILED', rule, { fields: [{ field, rule }] });
}
