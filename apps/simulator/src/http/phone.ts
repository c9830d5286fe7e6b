import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';

const WORDS = '$property must be 7 to 15 digits, country code first';

/** A phone number in a body or query: a string of digits; a leading plus is taken off. */
export const IsPhone = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.replace(/^\+/, '') : value)),
    Matches(/^[1-9]\d{6,14}$/, { message: WORDS }),
  );
