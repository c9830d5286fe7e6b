import { expect, test } from '@jest/globals';
import type { ApiDocument, JsonSchema } from './api-document.js';
import { breakingChanges } from './breaking-changes.js';

const BODY: JsonSchema = {
  type: 'object',
  required: ['to'],
  properties: { to: { type: 'string', maxLength: 64 }, kind: { type: 'string', enum: ['a', 'b'] } },
};
const ANSWER: JsonSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, status: { type: 'string', enum: ['QUEUED'] } },
};

interface Parts {
  body?: object;
  answer?: object;
  operation?: object;
  paths?: object;
  webhooks?: object;
}

function description({ body = {}, answer = {}, operation = {}, paths, webhooks }: Parts = {}): ApiDocument {
  const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
  const send = {
    ...{ operationId: 'send', 'x-required-scope': 'messages:send' },
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 200 } }],
    requestBody: json({ $ref: '#/components/schemas/Body' }),
    responses: { 200: json({ $ref: '#/components/schemas/Answer' }), 404: json({}) },
    ...operation,
  };
  const event = {
    operationId: 'on.sent',
    requestBody: json({ $ref: '#/components/schemas/Answer' }),
    responses: {},
  };
  return {
    paths: paths ?? { '/v1/messages': { post: send } },
    webhooks: webhooks ?? { sent: { post: event } },
    components: { schemas: { Body: { ...BODY, ...body }, Answer: { ...ANSWER, ...answer } } },
  } as unknown as ApiDocument;
}

const changesOf = (parts: Parts): string[] => breakingChanges(description(), description(parts));
const fields = (more: object): object => ({ properties: { ...BODY.properties, ...more } });
const answers = (more: object): object => ({ properties: { ...ANSWER.properties, ...more } });

test.each<[string, Parts, RegExp]>([
  ['an operation that is gone', { paths: {} }, /post \/v1\/messages: the operation is gone/],
  [
    'another scope',
    { operation: { 'x-required-scope': 'admin:*' } },
    /the scope was messages:send and is admin/,
  ],
  ['a route that a sandbox lost', { operation: { 'x-environment': 'LIVE' } }, /it exists in LIVE alone now/],
  ['a parameter that is gone', { operation: { parameters: [] } }, /query limit: the parameter is gone/],
  [
    'a narrower parameter',
    {
      operation: { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }] },
    },
    /query limit: maximum was 200 and is 100/,
  ],
  [
    'a body that must be',
    { operation: { requestBody: { required: true, content: {} } } },
    /a body is required now/,
  ],
  ['an answer that is gone', { operation: { responses: {} } }, /the answer 200 is gone/],
  [
    'a field that must be given',
    { body: { required: ['to', 'kind'] } },
    /body.kind: the field is required now/,
  ],
  ['a field of a request that is gone', { body: { properties: {} } }, /body.kind: the field is gone/],
  [
    'a value that is gone',
    { body: fields({ kind: { type: 'string', enum: ['a'] } }) },
    /body.kind: the value "b" is gone/,
  ],
  [
    'a shorter text',
    { body: fields({ to: { type: 'string', maxLength: 10 } }) },
    /body.to: maxLength was 64 and is 10/,
  ],
  [
    'a new pattern',
    { body: fields({ to: { type: 'string', pattern: '^a' } }) },
    /body.to: pattern is \^a now/,
  ],
  [
    'another type',
    { body: fields({ to: { type: 'integer' } }) },
    /body.to: the type was string and is integer/,
  ],
  [
    'only one of some fields',
    { body: { oneOf: [{ required: ['to'] }] } },
    /body: oneOf narrows what is taken/,
  ],
  ['a field of an answer that is gone', { answer: { properties: {} } }, /200.id: the field is gone/],
  [
    'a field of an answer that may be missing',
    { answer: { required: [] } },
    /200.id: the field may be missing now/,
  ],
  [
    'a field of an answer that may be null',
    { answer: answers({ id: { type: ['string', 'null'] } }) },
    /200.id: the type/,
  ],
  ['an event that is gone', { webhooks: {} }, /webhook sent: the event is gone/],
])('%s is a breaking change', (_, parts, expected) => {
  expect(changesOf(parts)).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
});

test('a field of an answer that is gone from the schema that another extends is a breaking change', () => {
  const extended = (properties: object): ApiDocument =>
    description({
      answer: {
        properties: {},
        required: [],
        allOf: [{ $ref: '#/components/schemas/Body' }, { properties }],
      },
    });
  const released = extended({ more: { type: 'string' } });
  expect(breakingChanges(released, extended({}))).toEqual(
    expect.arrayContaining([expect.stringMatching(/200.more: the field is gone/)]),
  );
});

test.each<[string, Parts]>([
  ['nothing', {}],
  ['a route that every key may use', { operation: { 'x-required-scope': 'any' } }],
  ['another optional field of a request', { body: fields({ note: { type: 'string' } }) }],
  ['a longer text', { body: fields({ to: { type: 'string', maxLength: 100 } }) }],
  ['a new value of a request', { body: fields({ kind: { type: 'string', enum: ['a', 'b', 'c'] } }) }],
  ['another field of an answer', { answer: answers({ more: { type: 'string' } }) }],
  [
    'another value in an answer',
    { answer: answers({ status: { type: 'string', enum: ['QUEUED', 'SENT'] } }) },
  ],
])('%s is none', (_, parts) => {
  expect(changesOf(parts)).toEqual([]);
});
