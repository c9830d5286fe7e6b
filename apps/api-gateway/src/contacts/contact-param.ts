import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AppError } from '@svc/contracts';
import { normalizeRecipient } from '../messages/recipient.js';

/** Reads a person from the path, by phone number or address. What is neither names nobody: 404, before anybody is asked. */
export function ContactParam(): ParameterDecorator {
  return Param('contact', {
    transform: (value: string) => {
      try {
        return normalizeRecipient(value, 'contact');
      } catch (cause) {
        throw new AppError('CONTACT_NOT_FOUND', undefined, {}, { cause });
      }
    },
  });
}

/** Documents that parameter. */
export function ApiContact(): MethodDecorator {
  return ApiParam({
    name: 'contact',
    description: 'Phone number with its country code, or the address of a person.',
    schema: { type: 'string', maxLength: 64 },
    example: '+4915112345678',
  });
}
