import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { LONG_MS, Stage } from './support.js';

let stage: Stage;
const phone = '15550104000';
const contact = '15550204000';
let sessionId: string;

beforeAll(async () => {
  // Longer than a test holds up a write: it holds up the renewal of the lease as well.
  stage = await Stage.start({ LEASE_MS: '120000' });
  sessionId = await stage.link(phone);
  await stage.platform.call('POST', '/contacts', { phone: contact });
});
afterAll(() => stage.stop());

/** Stanzas the platform keeps for the session, because it was not told that they arrived. */
async function unconfirmed(): Promise<number> {
  const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  return account.devices[0]?.queued ?? 0;
}

const told = (name: string): unknown[] => stage.eventsOf(name, sessionId);

test('the platform hears that a receipt arrived only once it is written', async () => {
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'never' });
  const jobId = await stage.send(sessionId, contact, 'hello');
  await stage.told('message.sent', jobId);
  await waitFor('the platform to keep nothing', async () => (await unconfirmed()) === 0);

  const lock = stage.worker.get(DataSource).createQueryRunner();
  await lock.startTransaction();
  await lock.query('SELECT 1 FROM outbound_message WHERE job_id = $1 FOR UPDATE', [jobId]);
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'auto' });
  await waitFor('the write to wait for the lock', async () => {
    const rows = await stage.worker.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%outbound_message%'`,
    );
    return rows.length > 0;
  });
  // A stanza that comes later and is confirmed shows that this one could have been by now.
  await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: 'later' });
  await waitFor('the later text to be confirmed', async () => {
    const sent = await stage.platform.call<{ items: { receipts: number }[] }>(
      'GET',
      `/contacts/${contact}/sent`,
    );
    return sent.items[0]?.receipts === 1;
  });
  expect(await unconfirmed()).toBe(1);
  expect(told('message.delivered')).toEqual([]);

  await lock.commitTransaction();
  await lock.release();
  await waitFor('the receipt to be confirmed', async () => (await unconfirmed()) === 0);
  await stage.told('message.delivered', jobId);
});

test('a text that cannot be written comes again by itself, and is told once', async () => {
  const before = told('message.received').length;
  const losses = told('session.disconnected').length;
  await stage.worker.database.query('ALTER TABLE sessions.inbound_message RENAME TO out_of_reach');
  await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: 'not yet' });
  await waitFor('the socket to be given up', () => told('session.disconnected').length > losses);
  expect(told('message.received')).toHaveLength(before);

  await stage.worker.database.query('ALTER TABLE sessions.out_of_reach RENAME TO inbound_message');
  await waitFor('the text', () => told('message.received').length > before, LONG_MS);
  await waitFor('the platform to keep nothing', async () => (await unconfirmed()) === 0);
  expect(told('message.received')).toHaveLength(before + 1);
  await stage.reached(sessionId, 'CONNECTED');
});

test('a socket that breaks while a message is being handed over holds the message up no longer than itself', async () => {
  const stranger = '15550204001'; // whose devices and keys the platform is asked for before anything is sent
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { silent: true });
  const jobId = await stage.send(sessionId, stranger, 'through a broken socket');
  await waitFor('the hand-over to begin', async () => {
    const [row] = await stage.worker.database.query<{ status: string }>(
      'SELECT status FROM sessions.outbound_message WHERE job_id = $1',
      [jobId],
    );
    return row?.status === 'SENDING';
  });
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'stream-error', code: 503 });
  await stage.told('message.sent', jobId);
  expect((await stage.platform.inbox(stranger)).map(({ text }) => text)).toEqual(['through a broken socket']);
});
