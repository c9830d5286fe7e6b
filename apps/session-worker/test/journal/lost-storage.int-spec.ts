import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { EraseInSessions, type Envelope } from '@svc/contracts';
import { readEveryEvent, waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550109700';
let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
// Readers read what the test before has left.
beforeEach(async () => {
  await stage.messaging.streams.ensure();
  await readEveryEvent(stage.messaging);
  await waitFor('the outbox to be empty', async () => (await kept()) === 0, LONG_MS);
});
afterAll(() => stage.stop());

/** Counts the rows of the outbox. */
const kept = async (): Promise<number> =>
  (await worker.database.query('SELECT 1 FROM sessions.event_outbox')).length;

/** Waits until the worker has found that no row of the outbox is read, and has noted it. */
const foundUnread = (): Promise<unknown> =>
  waitFor(
    'the rows to be kept',
    async () => {
      const sql = 'SELECT 1 FROM sessions.event_outbox WHERE stream IS NULL';
      return (await worker.database.query(sql)).length === 0;
    },
    LONG_MS,
  );

/** Lets no app read what comes from now on. */
async function stopReaders(): Promise<void> {
  await stage.messaging.manager.consumers.delete('EVENTS', 'limits');
  await stage.messaging.manager.consumers.add('EVENTS', {
    ...{ durable_name: 'limits', filter_subject: 'evt.>', ack_policy: 'explicit' },
    deliver_policy: 'new',
  });
}

/** Writes a message as a contact, and waits until NATS has its event. */
async function writes(contact: string, message: object): Promise<string> {
  const body = { to: phone, ...message };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body);
  const find = () => stage.eventsOf('message.received', sessionId).find(({ keyId }) => keyId === id);
  await waitFor('message.received', find, LONG_MS);
  return id;
}

/** Starts NATS anew without its storage, and waits until it has its streams. */
async function loseStorage(): Promise<void> {
  await stage.worker.nats.restart({ wipe: true });
  await waitFor('the streams', () => stage.messaging.streams.ensure().then(() => true), LONG_MS);
}

/** Lists the messages of contacts in the stream of events, each as often as it is there. */
async function toldAnew(): Promise<string[]> {
  const { manager } = stage.messaging;
  const { state } = await manager.streams.info('EVENTS');
  const events: Envelope<{ keyId?: string }>[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1)
    events.push(
      (await manager.streams.getMessage('EVENTS', { seq }))?.json() as Envelope<{ keyId?: string }>,
    );
  return events.flatMap(({ type, data }) => (type === 'message.received' && data.keyId ? [data.keyId] : []));
}

test('what contacts wrote, and nobody had read, is told again, in order and once', async () => {
  await stopReaders();
  const texts: string[] = [];
  for (const text of ['one', 'two', 'three']) texts.push(await writes('15550209701', { text }));
  texts.push(await writes('15550209702', { content: { type: 'image', media: { size: 10_000 } } }));
  await foundUnread();
  await loseStorage();
  await waitFor('the messages', async () => (await toldAnew()).length >= texts.length, LONG_MS);
  expect(await toldAnew()).toEqual(texts);
});

test('what was read is not told again', async () => {
  await writes('15550209703', { text: 'read' });
  await waitFor('the outbox to be empty', async () => (await kept()) === 0, LONG_MS);
  await loseStorage();
  await readEveryEvent(stage.messaging);
  const next = await writes('15550209703', { text: 'next' });
  await waitFor('the outbox to be empty', async () => (await kept()) === 0, LONG_MS);
  expect(await toldAnew()).toEqual([next]);
});

test('what an erased contact wrote is not told again', async () => {
  await stopReaders();
  const erased = await writes('15550209704', { text: 'erased' });
  const stays = await writes('15550209705', { text: 'stays' });
  await foundUnread();
  const { tenantId } = stage;
  const contact = '15550209704@s.whatsapp.net';
  const erasure = { erasureId: randomUUID(), tenantId, contact, before: new Date().toISOString() };
  expect(await worker.rpc.request(EraseInSessions, erasure, LONG_MS)).toMatchObject({ events: 1 });
  await loseStorage();
  await waitFor('the other message', async () => (await toldAnew()).includes(stays), LONG_MS);
  expect(await toldAnew()).not.toContain(erased);
});

test('what was not read is told again by a worker that starts after the loss, and comes under the same id', async () => {
  await stopReaders();
  const keyId = await writes('15550209706', { text: 'unread' });
  const idOf = (): string | undefined => stage.events.find(({ data }) => data['keyId'] === keyId)?.id;
  const id = idOf();
  await foundUnread();
  await worker.kill();
  await loseStorage();
  stage.events.splice(0);
  await worker.start();
  await waitFor('the message', async () => (await toldAnew()).includes(keyId), LONG_MS);
  expect(idOf()).toBe(id);
});
