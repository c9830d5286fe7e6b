import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;
const phone = '15550104000';
const contact = '15550204000';
let sessionId: string;

beforeAll(async () => {
  // The lease is longer than a test holds up a write: that holds up the renewal of the lease as well.
  stage = await Stage.start({ LEASE_MS: '120000' });
  sessionId = await stage.link(phone);
  await stage.platform.call('POST', '/contacts', { phone: contact });
});
afterAll(() => stage.stop());

const unconfirmed = (): Promise<number> => stage.platform.queued(phone);
const events = (name: string): unknown[] => stage.eventsOf(name, sessionId);

test('the platform hears that a receipt arrived only once it is written', async () => {
  await stage.platform.call('PUT', `/contacts/${contact}/behaviour`, { delivered: 'never' });
  const jobId = await stage.send(sessionId, contact, 'hello');
  await stage.event('message.sent', jobId);
  await stage.platform.emptied(phone);

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
  expect(events('message.delivered')).toEqual([]);

  await lock.commitTransaction();
  await lock.release();
  await waitFor('the receipt to be confirmed', async () => (await unconfirmed()) === 0);
  await stage.event('message.delivered', jobId);
});

test('a text that cannot be written comes again by itself, and is told once', async () => {
  const before = events('message.received').length;
  const losses = events('session.disconnected').length;
  await stage.worker.database.query('ALTER TABLE sessions.inbound_message RENAME TO out_of_reach');
  await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: 'not yet' });
  await waitFor('the socket to be given up', () => events('session.disconnected').length > losses);
  expect(events('message.received')).toHaveLength(before);

  await stage.worker.database.query('ALTER TABLE sessions.out_of_reach RENAME TO inbound_message');
  await waitFor('the text', () => events('message.received').length > before, LONG_MS);
  await stage.platform.emptied(phone);
  expect(events('message.received')).toHaveLength(before + 1);
  await stage.reached(sessionId, 'CONNECTED');
});

test('a socket that breaks while a message is being handed over holds the message up no longer than itself', async () => {
  const stranger = '15550204001'; // the platform is asked for devices and keys of this contact before anything is sent
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
  await stage.event('message.sent', jobId);
  expect((await stage.platform.inbox(stranger)).map(({ text }) => text)).toEqual(['through a broken socket']);
});

/** Makes changes of such rows wait until the returned function is called. */
async function holdUp(table: string, rows: string): Promise<() => Promise<void>> {
  const { database } = stage.worker;
  await database.query(`CREATE OR REPLACE FUNCTION sessions.hold_up() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'`);
  await database.query(`CREATE TRIGGER held_up BEFORE INSERT OR UPDATE ON sessions.${table} FOR EACH ROW
    WHEN (${rows}) EXECUTE FUNCTION sessions.hold_up()`);
  const lock = stage.worker.get(DataSource).createQueryRunner();
  await lock.query('SELECT pg_advisory_lock(1)');
  return async () => {
    await lock.query('SELECT pg_advisory_unlock(1)');
    await lock.release();
    await database.query(`DROP TRIGGER held_up ON sessions.${table}`);
  };
}

const isHeldUp = (): Promise<boolean> =>
  waitFor('a change to be held up', async () => {
    const rows = await stage.worker.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    return rows.length > 0;
  });

test('what was handed to a broken socket goes out before what is claimed while the next one opens', async () => {
  const friend = '15550204002';
  const jobs = [await stage.send(sessionId, friend, 'how are you')];
  await stage.event('message.sent', jobs[0] as string);
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { ack: 'lost', count: 1 });
  const letGo = await holdUp(
    'outbound_message',
    `NEW.status = 'SENDING' AND NEW.content->>'text' = 'second'`,
  );
  const connections = events('session.connected').length;
  await stage.send(sessionId, friend, 'first');
  // The message would be lost on the next socket if it were claimed together with the second.
  await waitFor('the first to be lost', async () => {
    const path = `/accounts/${phone}/faults`;
    return (await stage.platform.call<{ ack: string }>('GET', path)).ack === 'auto';
  });
  await stage.send(sessionId, friend, 'second');
  await isHeldUp();
  await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
  await waitFor('the next socket', () => events('session.connected').length > connections, LONG_MS);
  await letGo();
  const texts = async (): Promise<string[]> =>
    (await stage.platform.inbox(friend)).map(({ text }) => text).slice(1);
  await waitFor('both texts', async () => (await texts()).length === 2, LONG_MS);
  expect(await texts()).toEqual(['first', 'second']);
});

test('what is about to be sent does not expire, and what nobody has taken up does', async () => {
  const friends = ['15550204003', '15550204004'];
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const send = (): Promise<string[]> =>
    Promise.all(friends.map((friend) => stage.send(sessionId, friend, 'in time')));
  const takenUp = await send();
  const areStored = (status: string, jobs: string[]): Promise<boolean> =>
    waitFor(`${jobs.length} messages to be ${status}`, async () => {
      const rows = await stage.worker.database.query(
        'SELECT 1 FROM sessions.outbound_message WHERE job_id = ANY($1) AND status = $2',
        [jobs, status],
      );
      return rows.length === jobs.length;
    });
  await areStored('QUEUED', takenUp);
  const letGo = await holdUp('signal_key', 'true');
  await stage.change(sessionId, 'connect');
  await isHeldUp();
  await areStored('SENDING', takenUp);
  const late = await send();
  await areStored('QUEUED', late);
  await stage.worker.database.query(
    `UPDATE sessions.outbound_message SET accepted_at = accepted_at - interval '10 minutes' WHERE job_id = ANY($1)`,
    [[...takenUp, ...late]],
  );
  for (const jobId of late)
    expect(await stage.event('message.failed', jobId)).toMatchObject({ failure: { code: 'EXPIRED' } });
  await letGo();
  for (const jobId of takenUp) {
    await stage.event('message.sent', jobId);
    expect(stage.idsOf('message.failed', jobId)).toEqual([]);
  }
});

test('a message that ends while its claim waits for it does not go out', async () => {
  const friend = '15550204005';
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const ended = await stage.send(sessionId, friend, 'never mind');
  const lock = stage.worker.get(DataSource).createQueryRunner();
  await lock.startTransaction();
  await waitFor('the message to wait', async () => {
    const [, count] = await lock.manager.query<[unknown, number]>(
      `UPDATE outbound_message SET status = 'FAILED' WHERE job_id = $1 AND status = 'QUEUED'`,
      [ended],
    );
    return count === 1;
  });
  await stage.change(sessionId, 'connect');
  await waitFor('the claim to wait for the lock', async () => {
    const rows = await stage.worker.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE '%m.status IN (''QUEUED'', ''SENDING'')%'`,
    );
    return rows.length > 0;
  });
  await lock.commitTransaction();
  await lock.release();
  await stage.event('message.sent', await stage.send(sessionId, friend, 'something else'));
  expect((await stage.platform.inbox(friend)).map(({ text }) => text)).toEqual(['something else']);
});
