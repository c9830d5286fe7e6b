import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, Matches } from 'class-validator';
import { Env } from './config.js';
import { IsRandomKey } from './safe-servers.js';

const KEY = /^[A-Za-z0-9+/]{43}=$/;
const MOST_PREVIOUS = 4;

/** Marks the property that holds a key which encrypts what a service stores: 32 bytes in base64. */
export function SealingKey(name: string, description: string): PropertyDecorator {
  return applyDecorators(
    Env(name, { description: `${description}: 32 bytes in base64.`, secret: true }),
    Matches(KEY, { message: '$property must be 32 bytes in base64' }),
    IsRandomKey(),
  );
}

/** Marks the property that holds the other keys, which open what they have sealed; it is sealed anew with the key itself in passing. */
export function SealingKeysPrevious(name: string): PropertyDecorator {
  return applyDecorators(
    Env(`${name}_PREVIOUS`, {
      description: `Keys that ${name} had before, or that it will have next, separated by commas: what they have sealed opens, and is sealed anew.`,
      secret: true,
    }),
    Transform(({ value }) => (typeof value === 'string' ? value.split(',') : (value as unknown))),
    IsArray(),
    ArrayMaxSize(MOST_PREVIOUS),
    Matches(KEY, { each: true, message: 'each of $property must be 32 bytes in base64' }),
  );
}
