import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MediaContent, type MediaKind, UpdateSession } from '@svc/contracts';
import { type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { HostileHost, waitFor } from '@svc/testing';
import { FILE, MB } from '../file-server.js';
import { LONG_MS, type Stage } from '../support.js';
import { httpTunnel, socksTunnel, type Tunnel } from '../tunnels.js';
import { WorkerProcess } from '../worker-process.js';

const LIMIT_MS = 2_000;

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;
let tunnel: Tunnel | undefined;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
    MEDIA_SEND_TIMEOUT_MS: String(LIMIT_MS),
  }));
  sessionId = await stage.link('15550119000');
});
afterEach(async () => {
  await tunnel?.stop();
  tunnel = undefined;
});
afterAll(() => stage.stop());

let contacts = 15550219000;
const send = (type: MediaKind, media: MediaContent): Promise<string> =>
  stage.send(sessionId, String((contacts += 1)), { type, media });

describe('a file from a host', () => {
  const CASES: [string, string, MediaKind, string, RegExp][] = [
    ['that says nothing', 'silence', 'image', 'MEDIA_UNAVAILABLE', /within 2000 ms/],
    ['that never ends its head', 'endless-head', 'image', 'MEDIA_UNAVAILABLE', /no answer/],
    ['that answers a byte a second', 'drip', 'image', 'MEDIA_UNAVAILABLE', /within 2000 ms/],
    ['that stops behind its head', 'silence-after-head', 'image', 'MEDIA_UNAVAILABLE', /within 2000 ms/],
    ['that sends a byte a second', 'drip-after-head', 'image', 'MEDIA_UNAVAILABLE', /within 2000 ms/],
    ['that never ends', 'endless-body', 'sticker', 'MEDIA_REFUSED', /larger than/],
    ['that hangs up', 'cut', 'image', 'MEDIA_UNAVAILABLE', /broke off/],
    ['whose few bytes become many', 'gzip', 'sticker', 'MEDIA_REFUSED', /larger than/],
    ['that shows a page', 'wrong-type', 'image', 'MEDIA_REFUSED', /text\/html/],
    ['that sends on for ever', 'redirect-loop', 'image', 'MEDIA_UNAVAILABLE', /more than 10 redirects/],
  ];
  const begun = new Map<string, { host: HostileHost; jobId: string }>();

  // All at the same time: most are tried three times, with pauses.
  beforeAll(async () => {
    for (const [, behaviour, type] of CASES) {
      const host = await HostileHost.start(stage.platform.control, 'http-host', behaviour);
      begun.set(behaviour, { host, jobId: await send(type, { url: `${host.url}/file` }) });
    }
  });

  test.each(CASES)(
    '%s fails its message, and its connections are gone',
    async (_what, behaviour, _, code, words) => {
      const { host, jobId } = begun.get(behaviour) as { host: HostileHost; jobId: string };
      const { failure } = await stage.event('message.failed', jobId);
      expect(failure).toMatchObject({ code, message: expect.stringMatching(words) });
      await waitFor('its connections to be gone', async () => (await host.counts()).open === 0, 5_000);
      const { state, opened, mostOpen, bytesSent } = await host.counts();
      expect([state, mostOpen]).toEqual(['RUNNING', 1]);
      expect(opened).toBeLessThanOrEqual(behaviour === 'redirect-loop' ? 11 : 3);
      // The bytes are those of three tries, with what lies in the buffers of the system.
      expect(bytesSent).toBeLessThan(15_000_000);
      await host.stop();
    },
  );
});

describe.each([
  ['CONNECT', httpTunnel],
  ['SOCKS', socksTunnel],
])('a proxy (%s) that falls silent once the session is connected', (_name, start) => {
  const through = async (): Promise<Tunnel> => {
    const proxy = await start();
    await worker.rpc.request(
      UpdateSession,
      { tenantId: stage.tenantId, sessionId, proxy: proxy.url },
      LONG_MS,
    );
    await waitFor('the platform behind the proxy', () => proxy.opened.length > 0, LONG_MS);
    await stage.reached(sessionId, 'CONNECTED');
    proxy.hold();
    return (tunnel = proxy);
  };
  const failsWithoutTrace = async (jobId: string, code: string): Promise<void> => {
    await waitFor('the connection', () => tunnel?.held.size === 1, LONG_MS);
    const begin = performance.now();
    await waitFor('its end', () => tunnel?.held.size === 0, 3 * LIMIT_MS);
    expect(performance.now() - begin).toBeGreaterThan(LIMIT_MS / 2);
    expect(await stage.event('message.failed', jobId)).toMatchObject({ failure: { code } });
    expect(tunnel?.held.size).toBe(0);
  };

  test('holds up no upload for longer than its time', async () => {
    const store = await openMediaStore({ mediaDir: worker.mediaDir } as MediaStoreConfig);
    const mediaId = randomUUID();
    await store.put(mediaId, [FILE], MB);
    await through();
    await failsWithoutTrace(await send('image', { mimeType: 'image/png', mediaId }), 'MEDIA_UPLOAD_FAILED');
  });

  test('holds up no file by URL for longer than its time', async () => {
    await through();
    await failsWithoutTrace(await send('image', { url: 'http://127.0.0.1:1/file' }), 'MEDIA_UNAVAILABLE');
  });
});
