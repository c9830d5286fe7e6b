import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { partitionOf } from '@svc/contracts';
import { type ServiceProcess, startProcess, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { RunnersService } from '../../src/runners/runners.service.js';
import { keyIdOf, LONG_MS, Stage } from '../support.js';

const WORKER = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ LEASE_MS: '9000' });
});
afterAll(() => stage.stop());

/** Starts another worker, as a process that can be killed and frozen, on the same servers. */
function anotherWorker(name: string): Promise<ServiceProcess> {
  const names = [
    'DATABASE_URL',
    'NATS_URL',
    'SVC_MODE',
    'PLATFORM_URL',
    'PLATFORM_TRUST_ROOT',
    'CREDENTIALS_KEY',
    'CONTACT_HASH_KEY',
    'MEDIA_DIR',
    'LEASE_MS',
  ];
  const shared = Object.fromEntries(names.map((variable) => [variable, process.env[variable] as string]));
  return startProcess(WORKER, { ...shared, OPS_PORT: '0', WORKER_NAME: name, LOG_LEVEL: 'warn' });
}

const ownerOf = async (sessionId: string): Promise<{ owner: string; epoch: string }> => {
  const [row] = await stage.worker.database.query<{ owner: string; epoch: string }>(
    'SELECT owner, epoch FROM sessions.partition_lease WHERE partition = $1',
    [partitionOf(sessionId)],
  );
  return row as { owner: string; epoch: string };
};

/** A session with its number. */
type Held = { sessionId: string; phone: string };

/** Links numbers until `count` of their sessions belong to the named worker. */
async function linkFor(owner: string, count: number): Promise<{ sessionId: string; phone: string }[]> {
  const found: { sessionId: string; phone: string }[] = [];
  for (let n = 0; found.length < count; n += 1) {
    const phone = `1555${String(Date.now()).slice(-6)}${n}`;
    const sessionId = await stage.create();
    if ((await ownerOf(sessionId)).owner !== owner) {
      await stage.change(sessionId, 'delete');
      continue;
    }
    await stage.scan(sessionId, phone);
    found.push({ sessionId, phone });
  }
  return found;
}

/** Reads the time of the last login of the number's device. */
async function loginOf(phone: string): Promise<string | null | undefined> {
  const account = await stage.platform.call<{ devices: { connectedAt: string | null }[] }>(
    'GET',
    `/accounts/${phone}`,
  );
  return account.devices[0]?.connectedAt;
}

/** Reads the platform's record of log-ins and ends of connections. */
const connectionsSince = (cursor: number) =>
  stage.platform.call<{ items: { phone: string; event: 'login' | 'end' }[]; cursor: number }>(
    'GET',
    `/connections?since=${cursor}`,
  );

const shareOf = async (owner: string): Promise<number> => {
  const [row] = await stage.worker.database.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM sessions.partition_lease WHERE owner = $1 AND expires_at > clock_timestamp()',
    [owner],
  );
  return row?.n ?? 0;
};

test('a session whose lease runs out while it connects opens no socket', async () => {
  const phone = '15550107001';
  const sessionId = await stage.link(phone);
  await stage.change(sessionId, 'disconnect');
  await stage.reached(sessionId, 'DISCONNECTED');
  const before = await loginOf(phone);
  const partition = partitionOf(sessionId);
  const runs = (): boolean => stage.worker.get(RunnersService).running().includes(sessionId);
  // This lock stops the renewal and the owner's own fenced write: the clock of the owner runs out.
  const lock = stage.worker.get(DataSource).createQueryRunner();
  await lock.startTransaction();
  await lock.query('SELECT 1 FROM partition_lease WHERE partition = $1 FOR UPDATE', [partition]);
  await stage.change(sessionId, 'connect');
  await waitFor('it to begin', runs, LONG_MS);
  await waitFor('it to be given up', () => !runs(), LONG_MS);
  await lock.commitTransaction();
  await lock.release();
  // The lease is out of reach, so that it is not begun anew; this statement waits for the write that was under way.
  await stage.worker.database.query(
    `UPDATE sessions.partition_lease SET owner = 'elsewhere', epoch = epoch + 1, expires_at = 'infinity'
     WHERE partition = $1`,
    [partition],
  );
  // A login from beginning to end, begun later, shows that the other one would have been there by now.
  let witness: string;
  do witness = await stage.create();
  while (partitionOf(witness) === partition);
  await stage.scan(witness, '15550107002');
  expect(await loginOf(phone)).toBe(before);
  await stage.worker.database.query(
    `UPDATE sessions.partition_lease SET owner = NULL, expires_at = '-infinity' WHERE partition = $1`,
    [partition],
  );
  await stage.reached(sessionId, 'CONNECTED');
});

test('a worker that is told to stop hands its sessions over', async () => {
  const leaving = await anotherWorker('leaving');
  await waitFor('a fair share', async () => (await shareOf('leaving')) === 32, LONG_MS);
  const [held] = await linkFor('leaving', 1);
  const { sessionId } = held as { sessionId: string; phone: string };
  expect(await leaving.stop('SIGTERM')).toBe(0);
  expect(await shareOf('leaving')).toBe(0);
  await stage.reached(sessionId, 'CONNECTED');
  expect((await ownerOf(sessionId)).owner).toBe('worker-under-test');
  await waitFor('both events', () => stage.eventsOf('session.connected', sessionId).length === 2, LONG_MS);
  expect(stage.eventsOf('session.disconnected', sessionId)).toMatchObject([{ reason: 'MAINTENANCE' }]);
});

test('a worker that is told to stop takes no more than two partitions off the platform at one time', async () => {
  const leaving = await anotherWorker('passing-on');
  await waitFor('a fair share', async () => (await shareOf('passing-on')) === 32, LONG_MS);
  const held = await linkFor('passing-on', 6);
  const partitions = new Map(held.map(({ sessionId, phone }) => [phone, partitionOf(sessionId)]));
  const { cursor } = await connectionsSince(0);
  expect(await leaving.stop('SIGTERM')).toBe(0);
  for (const { sessionId } of held) await stage.reached(sessionId, 'CONNECTED');
  const away = new Set<number | undefined>();
  const moved = (await connectionsSince(cursor)).items.filter(({ phone }) => partitions.has(phone));
  const awayAtATime = moved.map(({ phone, event }) => {
    if (event === 'end') away.add(partitions.get(phone));
    else away.delete(partitions.get(phone));
    return away.size;
  });
  expect(awayAtATime).toHaveLength(2 * held.length);
  expect(Math.max(...awayAtATime)).toBeLessThanOrEqual(2);
}, 60_000);

test('a worker that is killed in the middle loses nothing and doubles nothing', async () => {
  const victim = await anotherWorker('victim');
  await waitFor('a fair share', async () => (await shareOf('victim')) === 32, LONG_MS);
  const [held] = await linkFor('victim', 1);
  const { sessionId, phone } = held as { sessionId: string; phone: string };
  const contact = '15550301001';
  const jobs = Array.from({ length: 60 }, () => randomUUID());
  const sending = (async () => {
    for (const [n, jobId] of jobs.entries()) await stage.send(sessionId, contact, `out ${n}`, jobId);
  })();
  const writing = (async () => {
    for (let n = 0; n < 60; n += 1) {
      await stage.platform.call('POST', `/contacts/${contact}/messages`, { to: phone, text: `in ${n}` });
    }
  })();
  await waitFor('some texts', async () => (await stage.platform.inbox(contact)).length >= 5, LONG_MS);
  await victim.stop('SIGKILL');
  await Promise.all([sending, writing]);

  await waitFor(
    'every text out',
    async () => (await stage.platform.inbox(contact)).length >= jobs.length,
    LONG_MS,
  );
  expect((await stage.platform.inbox(contact)).map(({ id }) => id).sort()).toEqual(jobs.map(keyIdOf).sort());
  const received = (): Set<unknown> =>
    new Set(stage.eventsOf('message.received', sessionId).map(({ body }) => (body as { text: string }).text));
  await waitFor('every text in', () => received().size === 60, LONG_MS);
  const ids = stage.events.filter(({ type }) => type === 'message.received').map(({ id }) => id);
  expect(new Set(ids).size).toBe(60);
  expect((await ownerOf(sessionId)).owner).toBe('worker-under-test');
});

test('an error that nobody listens to ends its session, neither the process nor another session', async () => {
  const worker = await anotherWorker('unlucky');
  await waitFor('a fair share', async () => (await shareOf('unlucky')) === 32, LONG_MS);
  const [hit, other] = (await linkFor('unlucky', 2)) as [Held, Held];
  const before = await loginOf(other.phone);
  // A code for linking without a reference makes the library throw where the error has no handler.
  const code = { tag: 'pair-device', content: [{ tag: 'ref' }] };
  const stanza = { tag: 'iq', attrs: { type: 'set', id: 'none', from: 's.whatsapp.net' }, content: [code] };
  await stage.platform.call('POST', `/accounts/${hit.phone}/stanzas`, { stanza });
  expect(await stage.firstLoss(hit.sessionId)).toBe('LIBRARY_ERROR');
  await stage.reached(hit.sessionId, 'CONNECTED');
  expect((await ownerOf(hit.sessionId)).owner).toBe('unlucky');
  expect(await loginOf(other.phone)).toBe(before);
  expect(worker.output()).toContain('unhandled rejection');
  expect(await worker.stop('SIGTERM')).toBe(0);
});

test('a frozen owner that wakes up neither writes nor takes the number back', async () => {
  const frozen = await anotherWorker('frozen');
  await waitFor('a fair share', async () => (await shareOf('frozen')) === 32, LONG_MS);
  const [held] = await linkFor('frozen', 1);
  const { sessionId } = held as { sessionId: string; phone: string };
  const before = Number((await ownerOf(sessionId)).epoch);
  process.kill(frozen.pid, 'SIGSTOP');
  await waitFor(
    'another owner',
    async () => (await ownerOf(sessionId)).owner === 'worker-under-test',
    LONG_MS,
  );
  await waitFor(
    'the new owner to connect',
    () => stage.eventsOf('session.connected', sessionId).length === 2,
    LONG_MS,
  );
  // Read from the row: a frozen worker still gets its share of the requests, and answers none.
  const [row] = await stage.worker.database.query('SELECT status FROM sessions.session WHERE id = $1', [
    sessionId,
  ]);
  expect(row).toEqual({ status: 'CONNECTED' });
  process.kill(frozen.pid, 'SIGCONT');
  await waitFor('the frozen one to notice', () => /partition lost|lease/.test(frozen.output()), LONG_MS);
  const contact = '15550302001';
  const jobId = await stage.send(sessionId, contact, 'by the new owner');
  await waitFor('the text', async () =>
    (await stage.platform.inbox(contact)).some(({ id }) => id === keyIdOf(jobId)),
  );
  // A worker that is a member again may get this partition in good order; nothing else may have happened in between.
  await stage.reached(sessionId, 'CONNECTED');
  const reasons = stage.eventsOf('session.disconnected', sessionId).map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason !== 'MAINTENANCE')).toEqual(['WORKER_LOST']);
  const { phone } = await stage.get(sessionId);
  // The new owner knows the number from the row alone.
  const lost = stage
    .eventsOf('session.disconnected', sessionId)
    .find(({ reason }) => reason === 'WORKER_LOST');
  expect(lost).toMatchObject({ phone, willReconnect: true });
  expect(Number((await ownerOf(sessionId)).epoch)).toBeGreaterThan(before);
  await frozen.stop('SIGKILL');
});
