import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { normalizeRecipient } from '../messages/recipient.js';

/**
 * Reads a person from the path, by phone number or address. People write those, and in many ways: what is neither is 400, as in a query or a
 * body. An id that we make is different: what has another form names nothing (`IdParam`).
 */
export function ContactParam(): ParameterDecorator {
  return Param('contact', { transform: (value: string) => normalizeRecipient(value, 'contact') });
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
