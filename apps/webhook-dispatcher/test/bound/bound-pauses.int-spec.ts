import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DeleteEndpoint, GetBoundEndpoint, GetEndpoint, UpdateEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const BY = 'key:test';

async function aBoundEndpoint() {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const { tenantId } = ref;
  const path = `/${ref.sessionId}`;
  const made = await stage.bind({ ...ref, url: stage.at(path) });
  const endpointId = made?.id ?? '';
  const put = (more: { enabled?: boolean; url?: string } = {}) => stage.bind({ ...ref, actor: BY, ...more });
  const status = async () => (await stage.rpc.request(GetBoundEndpoint, ref)).endpoint?.status;
  const pause = () => stage.setStatus(tenantId, endpointId, 'PAUSED');
  const received = async (keyId: string): Promise<void> =>
    void (await stage.producer.received(tenantId, { ...ref, keyId }));
  const lines = () =>
    stage.chain
      .of(tenantId)
      .filter(({ action }) => action === 'webhook.reactivated')
      .map(({ actor, target, reason }) => [actor, target, reason]);
  return { ...ref, path, endpointId, put, status, pause, received, lines };
}

describe('the pause of a bound endpoint', () => {
  test('outlasts that external mode is ended and enabled again, with what is held and since when', async () => {
    const { path, endpointId, tenantId, put, pause, received, status } = await aBoundEndpoint();
    await pause();
    await received('held');
    await waitFor('it to be held', async () => (await stage.hot(tenantId))[0]?.state === 'held');
    const { endpoint: paused } = await stage.rpc.request(GetEndpoint, { tenantId, endpointId });
    await put({ enabled: false });
    expect(await status()).toBe('DISABLED');
    expect(await put()).toMatchObject(paused);
    expect(await put()).toMatchObject({ status: 'PAUSED', pausedReason: 'REQUESTED' });
    expect(stage.receiver.bodies(path)).toEqual([]);
    await stage.setStatus(tenantId, endpointId, 'ACTIVE');
    await waitFor('what was held', () => stage.keyIds(path).length > 0);
    expect(stage.keyIds(path)).toEqual(['held']);
  });

  test('is lifted by another address, and what is held goes there', async () => {
    const { path, endpointId, put, pause, received, lines } = await aBoundEndpoint();
    await pause();
    await received('held');
    const moved = await put({ url: stage.at(`${path}/new`) });
    expect(moved).toMatchObject({ id: endpointId, status: 'ACTIVE', pausedReason: null, pausedAt: null });
    await waitFor('what was held', () => stage.keyIds(`${path}/new`).length > 0);
    expect(stage.keyIds(`${path}/new`)[0]).toBe('held');
    expect(lines()).toEqual([[BY, endpointId, 'It has a new address.']]);
  });

  test('is not lifted by the same address', async () => {
    const { path, put, pause, lines } = await aBoundEndpoint();
    await pause();
    expect(await put({ url: stage.at(path) })).toMatchObject({ status: 'PAUSED' });
    expect(lines()).toEqual([]);
  });

  test.each([
    ['while external mode is off', { enabled: false }],
    ['together with external mode', { enabled: true }],
  ])('is lifted by another address that is given %s', async (_, { enabled }) => {
    const { path, put, pause } = await aBoundEndpoint();
    await pause();
    await put({ enabled: false });
    const url = stage.at(`${path}/new`);
    expect(await put({ enabled, url })).toMatchObject({ status: enabled ? 'ACTIVE' : 'DISABLED' });
    expect(await put()).toMatchObject({ status: 'ACTIVE', url });
  });

  test('is told of once, however often external mode is switched', async () => {
    const { tenantId, path, put, pause, received } = await aBoundEndpoint();
    const watcher = `${path}/watcher`;
    await stage.endpoint(tenantId, stage.at(watcher), ['webhook.paused', 'webhook.recovered']);
    await pause();
    for (const enabled of [false, true, false, true]) await put({ enabled });
    await put({ url: stage.at(`${path}/new`) });
    await received('after it');
    const told = () => stage.receiver.bodies(watcher).map(({ event }) => event);
    await waitFor('the recovery', () => told().includes('webhook.recovered'));
    expect(told()).toEqual(['webhook.paused', 'webhook.recovered']);
  });
});

test('the pause of a tenant-wide endpoint is lifted by another address, and not by another name', async () => {
  const { tenantId, endpointId, path } = await stage.subscriber(['message.received']);
  await stage.setStatus(tenantId, endpointId, 'PAUSED');
  const update = async (change: object) =>
    (await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ...change })).endpoint.status;
  expect(await update({ name: 'CRM 2' })).toBe('PAUSED');
  expect(await update({ url: stage.at(path) })).toBe('PAUSED');
  expect(await update({ url: stage.at(`${path}/2`) })).toBe('ACTIVE');
});

test('an address that comes before external mode is enabled the first time is refused, not dropped', async () => {
  const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
  const refused = stage.bind({ ...ref, enabled: false, url: stage.at('/bot') });
  await expect(refused).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    meta: { fields: [{ field: 'webhookUrl' }] },
  });
  expect((await stage.rpc.request(GetBoundEndpoint, ref)).endpoint).toBeNull();
});

test('a bound endpoint is deleted once its session is MANAGED, and made anew when it is enabled again', async () => {
  const { tenantId, sessionId, endpointId, path, put, received } = await aBoundEndpoint();
  const ask = () => stage.rpc.request(DeleteEndpoint, { tenantId, endpointId, actor: BY });
  await expect(ask()).rejects.toMatchObject({
    code: 'SESSION_STATE_CONFLICT',
    message: expect.stringContaining('enabled false'),
    meta: { endpointId, sessionId },
  });
  await put({ enabled: false });
  expect((await ask()).endpoint.id).toBe(endpointId);
  expect((await stage.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).endpoint).toBeNull();
  await expect(put()).rejects.toMatchObject({ meta: { fields: [{ field: 'webhookUrl' }] } });
  const again = await put({ url: stage.at(path) });
  expect(again).toMatchObject({ status: 'ACTIVE' });
  expect(again?.id).not.toBe(endpointId);
  await received('to the new one');
  await waitFor('the event', () => stage.keyIds(path).length > 0);
  expect(stage.keyIds(path)).toEqual(['to the new one']);
});
