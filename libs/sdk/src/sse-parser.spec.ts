import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SseParser } from './sse-parser.js';

const TEXT = [
  'retry: 1500\r\n: open\r\n\r\n',
  'id: 1\nevent: message.received\ndata: {"text":"Grüße 👋"}\n\n',
  'data:no blank\ndata\ndata: third\n\n',
  'id: 2\revent: a:b\rdata: x\r\r',
  ': heartbeat\nid: 3\n\n',
].join('');

const EVENTS = [
  { event: 'message', id: undefined, data: undefined },
  { event: 'message.received', id: '1', data: '{"text":"Grüße 👋"}' },
  { event: 'message', id: undefined, data: 'no blank\n\nthird' },
  { event: 'a:b', id: '2', data: 'x' },
  { event: 'message', id: '3', data: undefined },
];

test('reads the same events, wherever the pieces are cut', () => {
  const bytes = new TextEncoder().encode(TEXT);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
      const parser = new SseParser();
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const events = places.slice(1).flatMap((end, index) => parser.take(bytes.slice(places[index], end)));
      expect(events).toEqual(EVENTS);
      expect(parser.retryMs).toBe(1_500);
    }),
  );
});

test('does not tell an event that has not ended', () => {
  const parser = new SseParser();
  expect(parser.take(new TextEncoder().encode('data: x\n'))).toEqual([]);
  expect(parser.take(new TextEncoder().encode('\n'))).toHaveLength(1);
});
