import { expect, test } from '@jest/globals';
import { isUnanswered, noFaults, takeAckFault, takeInboundFault } from './faults.js';

const ANN = '4915550009100';
const BOB = '4915550009101';
const HARMLESS = { ack: 'auto', ackDelayMs: 0, ackError: null };

test('without faults every send is harmless, and nothing is counted', () => {
  const faults = noFaults();
  expect(takeAckFault(faults, ANN)).toMatchObject(HARMLESS);
  expect(faults).toEqual(noFaults());
});

test('a fault without a number stays', () => {
  const faults = { ...noFaults(), ackError: 463 };
  for (let send = 0; send < 3; send++) expect(takeAckFault(faults, ANN).ackError).toBe(463);
});

test('a fault for some recipients leaves others alone, and their sends do not use it up', () => {
  const faults = { ...noFaults(), ack: 'never' as const, count: 1, recipients: [ANN] };
  expect(takeAckFault(faults, BOB)).toMatchObject(HARMLESS);
  expect(takeAckFault(faults, undefined)).toMatchObject(HARMLESS);
  expect(takeAckFault(faults, ANN).ack).toBe('never');
  expect(takeAckFault(faults, ANN)).toMatchObject(HARMLESS);
});

test('a fault that is used up leaves those of connection and login as they are', () => {
  const faults = { ...noFaults(), ackDelayMs: 5, count: 1, silent: true, loginError: 403 };
  expect(takeAckFault(faults, ANN).ackDelayMs).toBe(5);
  expect(faults).toEqual({ ...noFaults(), silent: true, loginError: 403 });
});

test('a limited fault of messages to the account is used up', () => {
  const faults = { ...noFaults(), inbound: 'twice' as const, inboundCount: 2 };
  const taken = [1, 2, 3].map(() => takeInboundFault(faults).copies);
  expect(taken).toEqual([2, 2, 1]);
  expect(faults).toEqual(noFaults());
});

test.each([
  [['usync'], 'usync', true],
  [['usync'], 'encrypt', false],
  [['*'], 'encrypt', true],
  [['*'], 'w:p', false],
  [['*', 'w:p'], 'w:p', true],
])('with %j unanswered, %s is unanswered: %s', (unanswered, namespace, expected) => {
  expect(isUnanswered({ ...noFaults(), unanswered }, namespace)).toBe(expected);
});
