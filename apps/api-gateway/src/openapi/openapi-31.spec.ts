import { expect, test } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { asOpenApi31 } from './openapi-31.js';

const convert = (schema: object): unknown => asOpenApi31({ schema } as unknown as OpenAPIObject);

test.each([
  [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    { type: 'string', enum: ['A'], nullable: true },
    { type: ['string', 'null'], enum: ['A', null] },
  ],
  [{ $ref: '#/x', nullable: true }, { anyOf: [{ $ref: '#/x' }, { type: 'null' }] }],
  [
    { description: 'why', allOf: [{ $ref: '#/x' }], nullable: true },
    { description: 'why', anyOf: [{ $ref: '#/x' }, { type: 'null' }] },
  ],
  [
    { description: 'why', allOf: [{ $ref: '#/x' }] },
    { description: 'why', $ref: '#/x' },
  ],
  [{ allOf: [{ $ref: '#/x' }, { $ref: '#/y' }] }, { allOf: [{ $ref: '#/x' }, { $ref: '#/y' }] }],
  [
    { type: 'string', nullable: true, description: 'When (ISO 8601, UTC); null: never.', example: null },
    { type: ['string', 'null'], format: 'date-time', description: 'When; null: never.', example: null },
  ],
  [
    { type: 'string', example: '2026-01-31T12:00:00.000Z' },
    { type: 'string', format: 'date-time', example: '2026-01-31T12:00:00.000Z' },
  ],
  [
    { type: 'string', nullable: false },
    { type: 'string', nullable: false },
  ],
])('a schema of 3.0 says the same in 3.1: %j', (before, after) => {
  expect(convert(before)).toEqual({ schema: after });
});
