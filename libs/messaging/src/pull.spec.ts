import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dataBytes } from './pull.js';

const read = (json: string): string =>
  dataBytes(Buffer.from(json), JSON.parse(json) as { data: object }).toString();

test('are those that were published', () => {
  expect(read('{"id":"1","data":{"text":"ü","n":1.50,"list":[{}]}}')).toBe(
    '{"text":"ü","n":1.50,"list":[{}]}',
  );
});

test.each([
  ['is first', '{"data":{"a":1},"id":"1"}', '{"a":1}'],
  ['is alone', '{"data":{"a":1}}', '{"a":1}'],
  ['is followed by something', '{"id":"1","data":{"a":1},"type":"x"}', '{"a":1}'],
  ['is followed by a name that is a number', '{"id":"1","data":{"a":1},"5":1}', '{"a":1}'],
  ['comes twice', '{"id":"1","data":{"a":1},"data":{"b":2}}', '{"b":2}'],
  ['is in another field as well', '{"x":{"a":0,"data":{"a":1}},"data":{"b":2}}', '{"b":2}'],
  ['has data of its own', '{"id":"1","data":{"a":1,"data":{}}}', '{"a":1,"data":{}}'],
  ['has data of its own and a space before it', '{"id":"1", "data":{"a":1,"data":{}}}', '{"a":1,"data":{}}'],
  ['is written with spaces', '{ "id": "1", "data": {"a": 1} }\n', '{"a":1}'],
])('are those of the data where it %s', (_, json, data) => {
  expect(read(json)).toBe(data);
});

test('say the same as the data, whatever stands around it and in it', () => {
  const name = fc.constantFrom('id', 'data', ',"data":', '"data":', 'other', '}');
  const value = fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.oneof(name, fc.jsonValue())));
  const envelope = fc.tuple(
    fc.dictionary(name, value),
    fc.dictionary(name, value),
    fc.dictionary(name, value),
  );
  fc.assert(
    fc.property(envelope, ([before, data, after]) => {
      const json = JSON.stringify({ ...before, data, ...after, ...('data' in after ? { data } : {}) });
      expect(JSON.parse(read(json))).toEqual((JSON.parse(json) as { data: object }).data);
    }),
    { numRuns: 2_000 },
  );
});
