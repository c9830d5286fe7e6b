import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UpdateSession } from '@svc/contracts';
import { type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { HostileHost, waitFor } from '@svc/testing';
import { FILE, MB } from '../file-server.js';
import { keyIdOf, LONG_MS, Stage } from '../support.js';
import { httpTunnel, type Tunnel } from '../tunnels.js';
import { WorkerProcess } from '../worker-process.js';

const PLACES = 4;
/** Number of the places that one tenant gets. */
const SHARE = 3;
/** A tenant who waits for another's far side waits longer. */
const PROMPTLY_MS = 2_000;

let stage: Stage;
/** Stage of another tenant, with the same worker and the same platform. */
let other: Stage;
let worker: WorkerProcess;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
    MEDIA_DOWNLOADS: String(PLACES),
    MEDIA_UPLOADS: String(PLACES),
  }));
  other = Stage.of(worker, stage.platform);
});
afterAll(async () => {
  await stage.stop();
});

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

test('a tenant whose proxy holds its downloads holds up nobody else’s', async () => {
  const [phone, others] = ['15550119201', '15550119202'];
  const sessions = [await stage.link(phone), await other.link(others)] as [string, string];
  const tunnel: Tunnel = await httpTunnel();
  const update = { tenantId: stage.tenantId, sessionId: sessions[0], proxy: tunnel.url };
  await worker.rpc.request(UpdateSession, update, LONG_MS);
  await waitFor('the platform behind the proxy', () => tunnel.opened.length > 0, LONG_MS);
  await stage.reached(sessions[0], 'CONNECTED');
  tunnel.hold();
  const write = (to: string): Promise<unknown> => {
    const content = { type: 'image', media: { size: 1_000 } };
    return stage.platform.call('POST', '/contacts/15550219201/messages', { to, content });
  };
  for (let n = 0; n < 4 * PLACES; n += 1) await write(phone);
  await waitFor('its downloads', () => tunnel.held.size === SHARE, LONG_MS);
  const took = await timed(async () => {
    await write(others);
    const told = () => other.eventsOf('message.received', sessions[1])[0]?.['media'];
    expect(await waitFor('message.received', told, LONG_MS)).toMatchObject({ status: 'STORED' });
  });
  expect(took).toBeLessThan(PROMPTLY_MS);
  expect(tunnel.held.size).toBe(SHARE);
  await tunnel.stop();
});

test('a tenant whose host holds its outgoing files holds up nobody else’s', async () => {
  const host = await HostileHost.start(stage.platform.control, 'http-host', 'silence');
  const sessions = [await stage.link('15550119203'), await stage.link('15550119204')];
  const others = await other.link('15550119205');
  const store = await openMediaStore({ mediaDir: worker.mediaDir } as MediaStoreConfig);
  const mediaId = randomUUID();
  await store.put(mediaId, [FILE], MB);
  for (const sessionId of sessions)
    for (let n = 0; n < PLACES; n += 1)
      await stage.send(sessionId, `1555021930${n}`, { type: 'image', media: { url: `${host.url}/file` } });
  await waitFor('its files', async () => (await host.counts()).open >= SHARE, LONG_MS);
  const contact = '15550219310';
  const took = await timed(async () => {
    const media = { mimeType: 'image/png', mediaId };
    const jobId = await other.send(others, contact, { type: 'image', media });
    const arrived = async () => (await stage.platform.inbox(contact)).some(({ id }) => id === keyIdOf(jobId));
    await waitFor('the file to arrive', arrived, LONG_MS);
  });
  expect(took).toBeLessThan(PROMPTLY_MS);
  expect(await host.counts()).toMatchObject({ open: SHARE, mostOpen: SHARE });
  await host.stop();
});
