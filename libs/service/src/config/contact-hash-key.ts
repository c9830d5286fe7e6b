import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MinLength } from 'class-validator';
import { Env } from './config.js';
import { IsRandomKey } from './safe-servers.js';

/** Marks the property that holds `CONTACT_HASH_KEY`: the same in every service that hashes contacts. */
export function ContactHashKey(): PropertyDecorator {
  return applyDecorators(
    Env('CONTACT_HASH_KEY', {
      description:
        'Secret that contacts are hashed with, 32 characters or more, the same in every service that has it: who was written to is counted, and who was erased is remembered for two days, without being known. Losing it counts contacts anew.',
      secret: true,
    }),
    IsString(),
    MinLength(32, { message: 'contactHashKey must be 32 characters or more' }),
    IsRandomKey(),
  );
}

/** Marks the property that holds `CONTACT_HASH_KEY_PREVIOUS`. */
export function ContactHashKeyPrevious(): PropertyDecorator {
  return applyDecorators(
    Env('CONTACT_HASH_KEY_PREVIOUS', {
      description:
        'The key of the version before, for 60 days: contacts who are met again, or were just erased, stay the same.',
      secret: true,
    }),
    IsOptional(),
    IsString(),
    MinLength(32, { message: 'contactHashKeyPrevious must be 32 characters or more' }),
  );
}
