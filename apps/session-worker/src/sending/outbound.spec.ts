import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MessageFailed, parseEnvelope } from '@svc/contracts';
import { climbEvents, failedEvent, failureOf, keyIdOf, type Rung } from './outbound.js';

const row = {
  job_id: randomUUID(),
  session_id: randomUUID(),
  tenant_id: randomUUID(),
  key_id: '3EB0',
  to_jid: '4915112345678@s.whatsapp.net',
  client_message_id: null,
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
