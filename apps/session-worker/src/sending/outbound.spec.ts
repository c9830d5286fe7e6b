import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MessageFailed, type OutboundMessageV1, parseEnvelope } from '@svc/contracts';
import {
  climbEvents,
  eventsSoFar,
  failedEvent,
  failureOf,
  keyIdOf,
  reachedBy,
  type Rung,
} from './outbound.js';

const row = {
  job_id: randomUUID(),
  session_id: randomUUID(),
  tenant_id: randomUUID(),
  key_id: '3EB0',
  to_jid: '4915112345678@s.whatsapp.net',
  client_message_id: null,
  reached: null,
  metadata: null,
};

test('a job always has the same message id, in the shape of the platform’s own', () => {
  expect(keyIdOf(row.job_id)).toBe(keyIdOf(row.job_id));
  expect(keyIdOf(row.job_id)).toMatch(/^3EB0[0-9A-F]{18}$/);
  expect(keyIdOf(randomUUID())).not.toBe(keyIdOf(row.job_id));
});

test.each<[Rung, Rung, string[]]>([
  ['SENDING', 'SENT', ['message.sent']],
  ['SENT', 'DELIVERED', ['message.delivered']],
  ['SENDING', 'READ', ['message.sent', 'message.delivered', 'message.read']],
  ['QUEUED', 'DELIVERED', ['message.sent', 'message.delivered']],
  ['READ', 'READ', []],
])('climbing from %s to %s tells of every rung in between', (before, now, names) => {
  expect(climbEvents(row, before, now).map(({ type }) => type)).toEqual(names);
});

test('a failure keeps the contract and says why in words', () => {
  const event = failedEvent(row, failureOf('REJECTED_BY_PLATFORM', 'platform error 463'));
  const { data } = parseEnvelope(MessageFailed, JSON.parse(JSON.stringify(event)));
  expect(data.failure).toEqual({
    code: 'REJECTED_BY_PLATFORM',
    message: 'The platform refused the message. (platform error 463)',
    givenBack: [],
  });
});

const at = (second: number): string => `2026-01-31T12:00:0${second}.000Z`;

test('a message has the time of each rung: what was known stays, what was passed unseen has that of the next', () => {
  const sent = reachedBy('SENT', { SENT: at(1) }, null);
  expect(sent).toEqual({ SENT: at(1) });
  expect(reachedBy('READ', { READ: at(5) }, sent)).toEqual({ SENT: at(1), DELIVERED: at(5), READ: at(5) });
  expect(reachedBy('READ', { READ: at(5), DELIVERED: at(3), SENT: at(9) }, sent)).toEqual({
    ...{ SENT: at(1), DELIVERED: at(3), READ: at(5) },
  });
});

test('a rung is never earlier than the one below, whatever the clocks of others say', () => {
  expect(reachedBy('DELIVERED', { DELIVERED: at(1) }, { SENT: at(2) })).toEqual({
    SENT: at(2),
    DELIVERED: at(2),
  });
});

test('what is told again is told with the same times', () => {
  const reached = { SENT: at(1), DELIVERED: at(2), READ: at(4) };
  const told = eventsSoFar({ ...row, reached, status: 'READ', failure: null });
  expect(told.map(({ data }) => (data as OutboundMessageV1).timestamp)).toEqual([at(1), at(2), at(4)]);
});
