import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Envelope, eventSubject, partitionOf, STREAMS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { keyIdOf, LONG_MS, Stage } from '../support.js';

let stage: Stage;
const phone = '15550102000';
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);

test('a session sends in the order in which it was asked', async () => {
  const contact = '15550202001';
  const wanted = Array.from({ length: 40 }, (_, n) => `text ${n}`);
  for (const text of wanted) await stage.send(sessionId, contact, text);
  await waitFor('all texts', async () => (await texts(contact)).length === wanted.length, LONG_MS);
  expect(await texts(contact)).toEqual(wanted);
});

test('the token that a contact is given with the first text is given once', async () => {
  const contact = '15550202021';
  const tokens = async (): Promise<{ sealed: Buffer }[]> =>
    stage.worker.database.query(
      `SELECT key_id, sealed FROM sessions.signal_key WHERE session_id = $1 AND type = 'tctoken' ORDER BY key_id`,
      [sessionId],
    );
  const before = (await tokens()).length;
  await stage.event('message.sent', await stage.send(sessionId, contact, 'first'));
  await waitFor('the token to be noted', async () => (await tokens()).length > before);
  const noted = await tokens();
  await stage.event('message.delivered', await stage.send(sessionId, contact, 'second'));
  expect(await tokens()).toEqual(noted);
});

test('a command that comes again sends nothing again, and its outcome is told again', async () => {
  const contact = '15550202002';
  const jobId = randomUUID();
  await stage.send(sessionId, contact, 'once', jobId);
  await waitFor('the text', async () => (await texts(contact)).length === 1);
  // The command gets past the de-duplication of the stream: another envelope with the same job.
  await stage.send(sessionId, contact, 'once', jobId);
  await stage.send(sessionId, contact, 'last');
  await waitFor('the last text', async () => (await texts(contact)).includes('last'));
  expect(await stage.platform.inbox(contact)).toMatchObject([
    { id: keyIdOf(jobId), text: 'once', duplicates: 0 },
    { text: 'last', duplicates: 0 },
  ]);
  // The outcome may have been lost: it is published again, as the same event.
  await waitFor('message.sent to be told again', () => stage.idsOf('message.sent', jobId).length > 1);
  expect(new Set(stage.idsOf('message.sent', jobId)).size).toBe(1);
  // The event has the time at which it happened, not that of its repetition.
  const sent = stage.events.filter(({ type, data }) => type === 'message.sent' && data['jobId'] === jobId);
  expect(new Set(sent.map(({ data }) => data['timestamp'])).size).toBe(1);
});

test('what is asked for while the platform is away goes out when it is back', async () => {
  const contact = '15550202003';
  await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
  await stage.send(sessionId, contact, 'patience');
  await waitFor('the text', async () => (await texts(contact)).includes('patience'));
});

test('being read tells that it was sent and delivered, once each', async () => {
  const contact = '15550202004';
  await stage.platform.call('POST', '/contacts', { phone: contact });
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'never' });
  const jobId = await stage.send(sessionId, contact, 'read me');
  await waitFor('the text', async () => (await texts(contact)).length === 1);
  await stage.platform.call('POST', `/contacts/${contact}/read`, { from: phone });
  for (const name of ['message.sent', 'message.delivered', 'message.read']) {
    await stage.event(name, jobId);
    expect(new Set(stage.idsOf(name, jobId)).size).toBe(1);
  }
});

test('a message for a session that does not come back fails as expired', async () => {
  const other = await stage.link('15550102001');
  await stage.change(other, 'disconnect');
  await stage.reached(other, 'DISCONNECTED');
  const jobId = await stage.send(other, '15550202005', 'too late');
  await waitFor('the message to wait', async () => {
    // The row looks as if it had been accepted before the longest wait of a message.
    const [, count] = await stage.worker.get(DataSource).query<[unknown, number]>(
      `UPDATE outbound_message SET accepted_at = accepted_at - interval '10 minutes'
       WHERE job_id = $1 AND status = 'QUEUED'`,
      [jobId],
    );
    return count === 1;
  });
  const failure = { code: 'EXPIRED', givenBack: ['session', 'plan'] };
  expect(await stage.event('message.failed', jobId)).toMatchObject({ failure });
});

test('a message for a session that is logged out or unknown fails at once, with the reason', async () => {
  const other = await stage.link('15550102002');
  await stage.change(other, 'logout');
  await stage.reached(other, 'LOGGED_OUT');
  const late = await stage.send(other, '15550202006', 'nobody sends this');
  const givenBack = ['session', 'plan'];
  expect(await stage.event('message.failed', late)).toMatchObject({
    failure: { code: 'SESSION_LOGGED_OUT', givenBack },
  });
  const lost = await stage.send(randomUUID(), '15550202006', 'nobody sends this either');
  expect(await stage.event('message.failed', lost)).toMatchObject({
    failure: { code: 'SESSION_DELETED', givenBack },
  });
});

test('strangers who write to each other at the same moment understand each other', async () => {
  for (const contact of ['15550202011', '15550202012', '15550202013']) {
    const count = 40;
    await Promise.all([
      (async () => {
        for (let n = 0; n < count; n += 1) await stage.send(sessionId, contact, `out ${n}`);
      })(),
      (async () => {
        const write = { to: phone, text: 'in' };
        for (let n = 0; n < count; n += 1)
          await stage.platform.call('POST', `/contacts/${contact}/messages`, write);
      })(),
    ]);
    await waitFor('every text out', async () => (await texts(contact)).length === count, LONG_MS);
    const from = `${contact}@s.whatsapp.net`;
    const received = (): number =>
      stage.eventsOf('message.received', sessionId).filter(({ remoteJid }) => remoteJid === from).length;
    await waitFor('every text in', () => received() === count, LONG_MS);
  }
});

test('every text of a contact becomes one event, also those written while the session was away', async () => {
  const contact = '15550202007';
  const write = (text: string): Promise<unknown> =>
    stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text });
  await write('here');
  await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
  await write('away 1');
  await write('away 2');
  const received = (): unknown[] =>
    stage
      .eventsOf('message.received', sessionId)
      .filter(({ remoteJid }) => remoteJid === `${contact}@s.whatsapp.net`)
      .map(({ body }) => (body as { text: string }).text);
  await waitFor('three events', () => received().length === 3, LONG_MS);
  expect(received().sort()).toEqual(['away 1', 'away 2', 'here']);
});

test('events that NATS could not take are told when it is back, also with its storage gone', async () => {
  const contact = '15550202008';
  const isIt = (event: Envelope<Record<string, unknown>> | undefined): boolean =>
    (event?.data['body'] as { text?: string } | undefined)?.text === 'during the outage';
  const restarted = stage.worker.nats.restart({ wipe: true });
  await stage.platform.call('POST', `/contacts/${contact}/messages`, {
    to: phone,
    text: 'during the outage',
  });
  await restarted;
  // A worker that has reconnected before this test publishes to the stream alone.
  const subject = eventSubject(partitionOf(stage.tenantId), 'message.received');
  await waitFor(
    'the event',
    async () =>
      stage.events.some(isIt) ||
      isIt(
        (await stage.messaging.manager.streams.getMessage(STREAMS.events, { last_by_subj: subject }))?.json(),
      ),
    LONG_MS,
  );
  const jobId = randomUUID();
  // This test may hear of the event before the worker has made the streams anew.
  const send = (): Promise<string> => stage.send(sessionId, contact, 'after the outage', jobId);
  await waitFor('the stream of commands', send, LONG_MS);
  await waitFor(
    'the text',
    async () => (await stage.platform.inbox(contact)).some(({ id }) => id === keyIdOf(jobId)),
    LONG_MS,
  );
});
