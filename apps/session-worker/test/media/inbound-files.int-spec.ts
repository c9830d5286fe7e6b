import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MessageReceivedV1, UpdateSession } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { httpTunnel } from '../tunnels.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550107000';
const contact = '15550207000';
const MAX_BYTES = 200_000;
const TIMEOUT_MS = 4_000;

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({
    MEDIA_MAX_BYTES: String(MAX_BYTES),
    MEDIA_TIMEOUT_MS: String(TIMEOUT_MS),
    MEDIA_DOWNLOADS: '2',
    LEASE_MS: '3000',
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
  }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

async function write(message: object): Promise<string> {
  const body = { to: phone, ...message };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body);
  return id;
}

const writeImage = (media: object): Promise<string> => write({ content: { type: 'image', media } });
const events = (keyId: string): MessageReceivedV1[] =>
  stage
    .eventsOf('message.received', sessionId)
    .filter((data) => data['keyId'] === keyId) as unknown[] as MessageReceivedV1[];
const event = (keyId: string): Promise<MessageReceivedV1> =>
  waitFor('message.received', () => events(keyId)[0], LONG_MS);
const mediaFaults = (body: object): Promise<unknown> => stage.platform.call('PUT', '/faults', body);

async function rowOf(keyId: string): Promise<{ status: string; attempts: number } | undefined> {
  const [row] = await worker.database.query<{ status: string; attempts: number }>(
    'SELECT status, attempts FROM sessions.inbound_media WHERE key_id = $1',
    [keyId],
  );
  return row;
}

/** Lists all files of the store, also those that are only on their way. */
async function files(): Promise<string[]> {
  const folders = await readdir(worker.mediaDir, { withFileTypes: true });
  const names = await Promise.all(folders.map(({ name }) => readdir(join(worker.mediaDir, name))));
  return names.flat();
}

describe('a message is told without its file', () => {
  let before: string[];

  beforeAll(async () => {
    before = await files();
  });
  const fails = async (keyId: string, reason: string): Promise<void> => {
    const { media, messageId } = await event(keyId);
    expect(media).toEqual({
      ...{ mediaId: messageId, status: 'FAILED', mimeType: 'image/jpeg', size: null, sha256: null },
      reason,
    });
  };

  test('when the platform does not have it', async () => {
    await fails(await writeImage({ size: 1_000, fault: 'missing' }), 'GONE');
  });

  test('when it is not the file that was sent', async () => {
    await fails(await writeImage({ size: 100_000, fault: 'altered' }), 'CORRUPT');
  });

  test('when it is larger than is kept', async () => {
    await fails(await writeImage({ size: MAX_BYTES + 1 }), 'TOO_LARGE');
  });

  test.each([
    ['does not say where it lies', {}],
    ['has no key', { url: 'https://mmg.whatsapp.net/v/x.enc', fileSha256: key(), fileEncSha256: key() }],
  ])('when the message %s', async (_what, fields) => {
    const message = { imageMessage: { mimetype: 'image/jpeg', ...fields } };
    await fails(await write({ message }), 'INVALID');
  });

  test.each([
    ['another host of the local network', 'https://localhost:1/v/x.enc'],
    ['a host that only looks like one of the platform', 'https://evilwhatsapp.net/v/x.enc'],
    ['a place without TLS', 'http://127.0.0.1:1/v/x.enc'],
  ])('when the message names %s', async (_what, url) => {
    const fields = { url, mediaKey: key(), fileSha256: key(), fileEncSha256: key() };
    await fails(await write({ message: { imageMessage: { mimetype: 'image/jpeg', ...fields } } }), 'INVALID');
  });

  test('when it cannot be fetched in time, and nothing waits behind it', async () => {
    await mediaFaults({ mediaStatus: 503 });
    const begin = performance.now();
    const keyIds = [];
    for (let n = 0; n < 5; n += 1) keyIds.push(await writeImage({ size: 1_000 }));
    const text = await event(await write({ text: 'and this' }));
    for (const keyId of keyIds) expect(events(keyId)).toEqual([]);
    for (const keyId of keyIds) await fails(keyId, 'UNAVAILABLE');
    expect(performance.now() - begin).toBeGreaterThan(TIMEOUT_MS);
    const { receivedAt } = events(keyIds[4] as string)[0] as MessageReceivedV1;
    expect(String(receivedAt) < String(text.receivedAt)).toBe(true);
    await stage.platform.call('DELETE', '/faults');
  });

  test('and nothing of it stays behind', async () => {
    expect(await files()).toEqual(before);
  });
});

test('a file may be as large as is kept', async () => {
  const { media } = await event(await writeImage({ size: MAX_BYTES }));
  expect(media).toMatchObject({ status: 'STORED', size: MAX_BYTES });
});

test('a file that cannot be fetched at first is fetched again', async () => {
  await mediaFaults({ mediaStatus: 503, mediaCount: 1 });
  const keyId = await writeImage({ size: 1_000 });
  expect((await event(keyId)).media).toMatchObject({ status: 'STORED', size: 1_000 });
  expect(await rowOf(keyId)).toEqual({ status: 'STORED', attempts: 2 });
});

test('a media store that is away costs a file none of its attempts', async () => {
  const aside = `${worker.mediaDir}-aside`;
  await rename(worker.mediaDir, aside);
  const keyId = await writeImage({ size: 1_000 });
  try {
    await waitFor('an attempt in vain', () => worker.log().includes('media store is away'), LONG_MS);
  } finally {
    await rename(aside, worker.mediaDir);
  }
  expect((await event(keyId)).media).toMatchObject({ status: 'STORED', size: 1_000 });
  expect(await rowOf(keyId)).toEqual({ status: 'STORED', attempts: 1 });
});

test('the file of a session with a proxy comes through the proxy, and not at all when the proxy lets nobody through', async () => {
  const tunnel = await httpTunnel();
  const setProxy = (proxy: string | null) =>
    worker.rpc.request(UpdateSession, { tenantId: stage.tenantId, sessionId, proxy }, LONG_MS);
  try {
    await setProxy(tunnel.url);
    await waitFor('the platform behind the proxy', () => tunnel.opened.length > 0, LONG_MS);
    await stage.reached(sessionId, 'CONNECTED');
    tunnel.opened.length = 0;
    expect((await event(await writeImage({ size: 1_000 }))).media).toMatchObject({ status: 'STORED' });
    expect(tunnel.opened).toHaveLength(1);
    await mediaFaults({ mediaStatus: 503, mediaCount: 1 });
    const keyId = await writeImage({ size: 1_000 });
    await waitFor('the first attempt', async () => (await rowOf(keyId))?.attempts === 1);
    tunnel.refuse();
    expect((await event(keyId)).media).toMatchObject({ status: 'FAILED', reason: 'UNAVAILABLE' });
  } finally {
    await setProxy(null);
    await tunnel.stop();
    await stage.reached(sessionId, 'CONNECTED');
  }
});

test('a worker that is killed before it has the file fetches it when it is back, and tells once', async () => {
  await mediaFaults({ mediaStatus: 503 });
  const keyId = await writeImage({ size: 50_000 });
  await waitFor('the first attempt', async () => (await rowOf(keyId))?.attempts === 1);
  await worker.kill();
  expect(events(keyId)).toEqual([]);
  await stage.platform.call('DELETE', '/faults');
  await worker.start();
  expect((await event(keyId)).media).toMatchObject({ status: 'STORED', size: 50_000 });
  const after = await event(await write({ text: 'after it' }));
  expect(after.body).toEqual({ type: 'text', text: 'after it' });
  expect(events(keyId)).toHaveLength(1);
});

test('neither a key nor the place of a file reaches the log', async () => {
  const [row] = await worker.database.query<{ media_id: string }>(
    `SELECT media_id FROM sessions.inbound_media WHERE status = 'STORED' LIMIT 1`,
  );
  expect(row).toBeDefined();
  expect(worker.log()).not.toMatch(/mediaKey|\/v\/[0-9a-f]{64}\.enc/);
});

test('the files of a session are given up with it', async () => {
  await event(await writeImage({ size: 10 }));
  const rows = () =>
    worker.database.query(
      `SELECT 1 FROM sessions.inbound_media WHERE session_id = $1 AND received_at > '-infinity'`,
      [sessionId],
    );
  expect(await rows()).not.toEqual([]);
  await stage.change(sessionId, 'delete');
  // The next turn of the retention deletes them (upkeep.int-spec.ts).
  await waitFor('the files to be given up', async () => (await rows()).length === 0);
});

/** Makes a key of 32 bytes, as the platform's keys and digests are. */
function key(): string {
  return Buffer.alloc(32, 7).toString('base64');
}
