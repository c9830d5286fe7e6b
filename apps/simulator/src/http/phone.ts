import { applyDecorators, Injectable, type PipeTransform } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { isPlausiblePhone, PLAUSIBLE_PHONE } from '../wire/phone-number.js';
import { Refusal } from './refusal.js';

const WORDS = 'must be 7 to 15 digits, country code first';

/** Checks a phone number in a body or query: a string of digits; a leading plus is taken off. */
export const IsPhone = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.replace(/^\+/, '') : value)),
    Matches(PLAUSIBLE_PHONE, { message: `$property ${WORDS}` }),
  );

/** Checks a list of phone numbers, digits only. */
export const ArePhones = (): PropertyDecorator =>
  Matches(PLAUSIBLE_PHONE, { each: true, message: `each of $property ${WORDS}` });

/** Checks a phone number in a path: digits, a leading plus is allowed. */
@Injectable()
export class PhonePipe implements PipeTransform {
  transform(value: unknown): string {
    const phone = String(value).replace(/^\+/, '');
    if (isPlausiblePhone(phone)) return phone;
    throw new Refusal(400, 'VALIDATION_FAILED', `phone ${WORDS}`, { fields: { phone: [WORDS] } });
  }
}
