import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MessageFailed, type OutboundMessageV1, parseEnvelope } from '@svc/contracts';
import { failureOf } from './failures.js';
import { progressEvents, eventsSoFar, failedEvent, statusTimes, type SendStatus } from './outbound.js';

const row = {
  job_id: randomUUID(),
  session_id: randomUUID(),
  tenant_id: randomUUID(),
  key_id: '3EB0',
  to_jid: '4915112345678@s.whatsapp.net',
  requested_to: null,
  client_message_id: null,
  reached: null,
  metadata: null,
  sent_by: null,
};

test.each<[SendStatus, SendStatus, string[]]>([
  ['SENDING', 'SENT', ['message.sent']],
  ['SENT', 'DELIVERED', ['message.delivered']],
  ['SENDING', 'READ', ['message.sent', 'message.delivered', 'message.read']],
  ['QUEUED', 'DELIVERED', ['message.sent', 'message.delivered']],
  ['READ', 'READ', []],
])('a message that comes from %s to %s tells of every status in between', (before, now, names) => {
  expect(progressEvents(row, before, now).map(({ type }) => type)).toEqual(names);
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

test('an event tells what the send named only where the account has another address', () => {
  const [same] = progressEvents(row, 'SENDING', 'SENT');
  expect(same?.data).not.toHaveProperty('requestedTo');
  const [other] = progressEvents({ ...row, requested_to: 'named' }, 'SENDING', 'SENT');
  expect(other?.data).toMatchObject({ to: row.to_jid, requestedTo: 'named' });
});

const at = (second: number): string => `2026-01-31T12:00:0${second}.000Z`;

test('a message has the time of each status: what was known stays, what was passed unseen has that of the next', () => {
  const sent = statusTimes('SENT', { SENT: at(1) }, null);
  expect(sent).toEqual({ SENT: at(1) });
  expect(statusTimes('READ', { READ: at(5) }, sent)).toEqual({ SENT: at(1), DELIVERED: at(5), READ: at(5) });
  expect(statusTimes('READ', { READ: at(5), DELIVERED: at(3), SENT: at(9) }, sent)).toEqual({
    ...{ SENT: at(1), DELIVERED: at(3), READ: at(5) },
  });
});

test('a status is never earlier than the one below, whatever the clocks of others say', () => {
  expect(statusTimes('DELIVERED', { DELIVERED: at(1) }, { SENT: at(2) })).toEqual({
    SENT: at(2),
    DELIVERED: at(2),
  });
});

test('what is told again is told with the same times', () => {
  const reached = { SENT: at(1), DELIVERED: at(2), READ: at(4) };
  const events = eventsSoFar({ ...row, reached, status: 'READ', failure: null });
  expect(events.map(({ data }) => (data as OutboundMessageV1).timestamp)).toEqual([at(1), at(2), at(4)]);
});

test('an event names its message in all ways, with what the tenant has given it', () => {
  const reached = { SENT: at(1), FAILED: at(2) };
  const metadata = { order: '7' };
  const mine = { ...row, reached, metadata, client_message_id: 'mine' };
  const named = {
    ...{ sessionId: row.session_id, jobId: row.job_id, messageId: row.job_id, keyId: '3EB0' },
    ...{ clientMessageId: 'mine', to: row.to_jid, metadata },
  };
  const [sent] = progressEvents(mine, 'SENDING', 'SENT');
  expect(sent).toMatchObject({ tenantId: row.tenant_id, data: { ...named, timestamp: at(1) } });
  const failed = failedEvent(mine, failureOf('NO_ACK'));
  expect(failed.data).toMatchObject({ ...named, timestamp: at(2) });
  expect(progressEvents(row, 'SENDING', 'SENT')[0]?.data).not.toHaveProperty('metadata');
});

test('what is told again is the same event, and another status is another one', () => {
  const ids = (now: SendStatus): string[] => progressEvents(row, 'SENDING', now).map(({ id }) => id);
  expect(ids('READ')).toEqual(ids('READ'));
  expect(new Set(ids('READ')).size).toBe(3);
  expect(ids('READ').slice(0, 1)).toEqual(ids('SENT'));
});

test('a message that failed tells of its failure again, and of nothing it was before', () => {
  const failure = failureOf('NO_ACK');
  const events = eventsSoFar({ ...row, status: 'FAILED', failure });
  expect(events).toMatchObject([{ type: 'message.failed', data: { failure } }]);
  expect(eventsSoFar({ ...row, status: 'FAILED', failure: null })).toEqual([]);
  expect(eventsSoFar({ ...row, status: 'QUEUED', failure: null })).toEqual([]);
});
