import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateSession, GetPlatformVersion, GetSession } from '@svc/contracts';
import { type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { waitFor } from '@svc/testing';
import { LONG_MS, Platform, Stage } from '../support.js';

// There are two simulators, each with keys of its own: one plays the live platform, the other the sandbox.
let stage: Stage;
let sandbox: Platform;

beforeAll(async () => {
  sandbox = await Platform.start('the sandbox');
  stage = await Stage.start({
    SANDBOX_PLATFORM_URL: sandbox.websocket,
    SANDBOX_PLATFORM_TRUST_ROOT: sandbox.trustRoot,
    SANDBOX_PLATFORM_CA: await sandbox.authority(),
    MEDIA_SEND_TIMEOUT_MS: '3000',
  });
});
afterAll(async () => {
  await stage.stop();
  await sandbox.stop();
});

async function create(isSandbox?: boolean): Promise<string> {
  const sessionId = randomUUID();
  const request = {
    tenantId: stage.tenantId,
    sessionId,
    name: 'shop',
    ...(isSandbox ? { sandbox: true } : {}),
  };
  await stage.worker.rpc.request(CreateSession, request, LONG_MS);
  return sessionId;
}

async function link(sessionId: string, platform: Platform, phone: string): Promise<void> {
  const qr = await stage.qr(sessionId);
  await platform.call('POST', '/accounts', { phone });
  await platform.call('POST', `/accounts/${phone}/scan`, { qr });
  await waitFor('CONNECTED', async () => (await stage.get(sessionId)).status === 'CONNECTED', LONG_MS);
}

describe('one worker with two platforms', () => {
  test('trusts each for its own sessions, side by side', async () => {
    expect(sandbox.trustRoot).not.toBe(stage.platform.trustRoot);
    const [live, test] = await Promise.all([create(), create(true)]);
    await Promise.all([link(live, stage.platform, '15550117001'), link(test, sandbox, '99955011700')]);
    const phonesOf = async (platform: Platform): Promise<string[]> => {
      const { items } = await platform.call<{ items: { phone: string }[] }>('GET', '/accounts');
      return items.map(({ phone }) => phone);
    };
    expect(await phonesOf(stage.platform)).toEqual(['15550117001']);
    expect(await phonesOf(sandbox)).toEqual(['99955011700']);
    const { tenantId } = stage;
    const told = [live, test].map((sessionId) =>
      stage.worker.rpc.request(GetSession, { tenantId, sessionId }),
    );
    expect((await Promise.all(told)).map((reply) => reply.sandbox)).toEqual([false, true]);
  });

  test('takes a version that the sandbox refuses for its tenant’s play: nobody else waits, and the operator has no alert', async () => {
    const [sessionId, phone] = [await create(true), '99955011701'];
    await link(sessionId, sandbox, phone);
    await sandbox.call('PUT', '/versions', { loginFloor: 2_000_000_000 });
    await sandbox.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
    const isRefused = async () => (await stage.get(sessionId)).statusReason === 'CLIENT_OUTDATED';
    await waitFor('CLIENT_OUTDATED', isRefused, LONG_MS);
    expect(await stage.worker.rpc.request(GetPlatformVersion, {})).toMatchObject({ outdated: null });
    await sandbox.call('DELETE', '/versions');
    await stage.reached(sessionId, 'CONNECTED');
  });

  test('sends files to each where its own authority is trusted: that of the sandbox speaks for no live session', async () => {
    const [live, test] = await Promise.all([create(), create(true)]);
    await Promise.all([link(live, stage.platform, '15550117003'), link(test, sandbox, '99955011703')]);
    const store = await openMediaStore({ mediaDir: process.env['MEDIA_DIR'] } as MediaStoreConfig);
    const mediaId = randomUUID();
    await store.put(mediaId, [Buffer.from('a file')], 1_000);
    const sent = async (sessionId: string): Promise<string> =>
      stage.send(sessionId, '15550217003', { type: 'document', media: { mediaId, mimeType: 'text/plain' } });
    await stage.event('message.delivered', await sent(test));
    expect(await stage.event('message.failed', await sent(live))).toMatchObject({
      failure: { code: 'MEDIA_UPLOAD_FAILED' },
    });
  });
});
