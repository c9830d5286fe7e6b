import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UpdateSession } from '@svc/contracts';
import { HostileHost, waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { httpTunnel } from '../tunnels.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550119100';
const TIMEOUT_MS = 2_000;

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({
    MEDIA_MAX_BYTES: '200000',
    MEDIA_TIMEOUT_MS: String(TIMEOUT_MS),
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
  }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** Has a contact write a message with an image; resolves with the `reason` that `message.received` gives for its file. */
async function reasonOf(message: object): Promise<unknown> {
  const body = { to: phone, ...message };
  const path = '/contacts/15550219100/messages';
  const { id } = await stage.platform.call<{ id: string }>('POST', path, body);
  const told = () =>
    stage.eventsOf('message.received', sessionId).find((data) => data['keyId'] === id)?.['media'];
  return ((await waitFor('message.received', told, LONG_MS)) as { reason: unknown }).reason;
}

function imageAt(url: string): object {
  const [mediaKey, fileSha256, fileEncSha256] = [1, 2, 3].map(() => randomBytes(32).toString('base64'));
  return {
    message: {
      imageMessage: { mimetype: 'image/jpeg', url: `${url}/v/x.enc`, mediaKey, fileSha256, fileEncSha256 },
    },
  };
}

test.each([
  ['says nothing', 'silence', 'UNAVAILABLE'],
  ['never ends its head', 'endless-head', 'UNAVAILABLE'],
  ['answers a byte a second', 'drip', 'UNAVAILABLE'],
  ['stops behind its head', 'silence-after-head', 'UNAVAILABLE'],
  ['sends a byte a second', 'drip-after-head', 'UNAVAILABLE'],
  ['never ends', 'endless-body', 'TOO_LARGE'],
  ['hangs up', 'cut', 'UNAVAILABLE'],
  ['encodes what it sends', 'gzip', 'TOO_LARGE'],
  ['shows a page', 'wrong-type', 'CORRUPT'],
  ['sends on for ever', 'redirect-loop', 'UNAVAILABLE'],
])(
  'of a media host that %s a message is told without its file, and no connection stays',
  async (_what, behaviour, reason) => {
    const host = await HostileHost.start(stage.platform.control, 'https-host', behaviour);
    expect(await reasonOf(imageAt(host.url))).toBe(reason);
    await waitFor('its connections to be gone', async () => (await host.counts()).open === 0, 5_000);
    const { state, mostOpen, bytesSent } = await host.counts();
    expect([state, mostOpen]).toEqual(['RUNNING', 1]);
    expect(bytesSent).toBeLessThan(15_000_000);
    await host.stop();
    expect(await readdir(join(worker.mediaDir, 'incoming'))).toEqual([]);
  },
);

test('behind a proxy that falls silent a message is told without its file, and no connection stays', async () => {
  const tunnel = await httpTunnel();
  const setProxy = (proxy: string | null): Promise<unknown> =>
    worker.rpc.request(UpdateSession, { tenantId: stage.tenantId, sessionId, proxy }, LONG_MS);
  try {
    await setProxy(tunnel.url);
    await waitFor('the platform behind the proxy', () => tunnel.opened.length > 0, LONG_MS);
    await stage.reached(sessionId, 'CONNECTED');
    tunnel.hold();
    expect(await reasonOf({ content: { type: 'image', media: { size: 1_000 } } })).toBe('UNAVAILABLE');
    await waitFor('its connections to be gone', () => tunnel.held.size === 0, 5_000);
  } finally {
    await setProxy(null);
    await tunnel.stop();
  }
});
