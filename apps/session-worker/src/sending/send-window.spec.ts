import { beforeEach, expect, test } from '@jest/globals';
import { MAX_TRIES } from './ledger/failures.js';
import type { LedgerMessage } from './ledger/ledger.js';
import { SendWindow } from './send-window.js';

let window: SendWindow;
beforeEach(() => {
  window = new SendWindow();
});

const message = (name: string): LedgerMessage => ({
  ...{ jobId: name, keyId: `key of ${name}`, sessionId: 'session', tenantId: 'tenant', to: 'a chat' },
  content: { type: 'text', text: name },
  ...{
    acceptedAt: new Date(),
    uploaded: null,
    requestedTo: null,
    mayBeSent: false,
    onlyInMode: null,
    isOutOfMode: false,
    unlessWrittenSince: null,
  },
});
const [a, b] = [message('a'), message('b')];

test('a message counts as in hand from its claim to the write of its outcome', () => {
  window.claim([a, b]);
  expect(window.jobIds).toEqual(['a', 'b']);
  window.handOver(a);
  window.claim([]);
  expect(window.jobIds).toEqual(['a']);
  window.beginWrite(window.take(a.keyId) as LedgerMessage);
  expect([window.jobIds, window.isEmpty]).toEqual([['a'], true]);
  window.endWrite(a.keyId);
  expect(window.jobIds).toEqual([]);
});

test('has room for twenty in flight, and asks for more when half of them are acknowledged', () => {
  const many = Array.from({ length: 20 }, (_, i) => message(String(i)));
  for (const one of many) window.handOver(one);
  expect([window.room, window.isHalfEmpty]).toEqual([0, false]);
  for (const { keyId } of many.slice(0, 9)) window.take(keyId);
  expect([window.room, window.isHalfEmpty]).toEqual([9, false]);
  window.take('key of 9');
  expect([window.room, window.isHalfEmpty]).toEqual([10, true]);
});

test('an acknowledgement takes its message out once', () => {
  window.handOver(a);
  expect(window.take(a.keyId)).toBe(a);
  expect(window.take(a.keyId)).toBeUndefined();
  expect(window.isInFlight(a)).toBe(false);
});

test('what is written outlives the socket, what is in flight goes with it', () => {
  window.handOver(a);
  window.beginWrite(b);
  window.reset();
  expect(window.jobIds).toEqual(['b']);
});

test('counts the tries of each message, over sockets, until they are forgotten', () => {
  window.countTry(a);
  window.reset();
  window.countTry(b);
  expect([window.countTry(a), window.countTry(a)]).toEqual([2, MAX_TRIES]);
  window.forgetTries(a.keyId);
  expect([window.countTry(a), window.countTry(b)]).toEqual([1, 2]);
});

test('remembers 1,000 messages that were tried, and of more those that were tried last', () => {
  window.countTry(a);
  for (let n = 1; n < 1_000; n += 1) window.countTry(message(String(n)));
  expect(window.countTry(a)).toBe(2);
  for (let n = 1_000; n < 2_000; n += 1) window.countTry(message(String(n)));
  expect(window.countTry(a)).toBe(1);
});

test('of a message that was forgotten the ledger says that something of it may have been handed over', () => {
  window.handOver(a);
  for (let n = 1; n <= 1_000; n += 1) window.countTry(message(String(n)));
  expect(window.hasBegun(a)).toBe(false);
  window.countTry({ ...a, mayBeSent: true });
  expect(window.hasBegun(a)).toBe(true);
});

test('two sends in a row without any sign blame the socket', () => {
  expect(window.countUnanswered()).toBe(false);
  window.answered();
  expect(window.countUnanswered()).toBe(false);
  expect(window.countUnanswered()).toBe(true);
});

test('the next socket is not blamed for the one before', () => {
  window.countUnanswered();
  window.reset();
  expect(window.countUnanswered()).toBe(false);
});
