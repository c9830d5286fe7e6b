import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AssistantPublished,
  type AssistantPublishedV1,
  DeleteProvider,
  type Envelope,
  GetAssistantSettings,
  GetProvider,
  PublishAssistantSettings,
  SetAssistantSettings,
  SetProvider,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Scene, Shop } from './scene.js';

let scene: Scene;
const told: Envelope[] = [];
beforeAll(async () => {
  scene = await Scene.start();
  scene.service.messaging.onEventCopy(AssistantPublished, (envelope) => told.push(envelope));
});
afterAll(() => scene.stop());

const actor = 'key:abc';
const aSession = () => ({ tenantId: randomUUID(), sessionId: randomUUID() });
const draft = (ref: { tenantId: string; sessionId: string }, instructions: string, ifRevision?: number) =>
  scene.service.rpc.request(SetAssistantSettings, {
    ...ref,
    settings: { mode: 'auto', instructions } as never,
    ...(ifRevision === undefined ? {} : { ifRevision }),
  });
const publications = ({ sessionId }: { sessionId: string }): AssistantPublishedV1[] =>
  told.map(({ data }) => data as AssistantPublishedV1).filter((data) => data.sessionId === sessionId);
const publish = (
  ref: { tenantId: string; sessionId: string },
  more: { version?: number; ifRevision?: number } = {},
) => scene.service.rpc.request(PublishAssistantSettings, { ...ref, ...more, actor });

describe('settings', () => {
  test('that nobody has set have their defaults, and answer nobody', async () => {
    const reply = await scene.service.rpc.request(GetAssistantSettings, aSession());
    expect(reply).toMatchObject({ draft: { mode: 'off', debounceMs: 4_000 }, revision: 0 });
    expect(reply.published).toBeUndefined();
  });

  test('are a draft until they are published, and each publication is a version, to which one can go back', async () => {
    const ref = aSession();
    expect((await draft(ref, 'One')).published).toBeUndefined();
    expect((await publish(ref)).published).toMatchObject({ version: 1, settings: { instructions: 'One' } });
    expect((await draft(ref, 'Two')).published).toMatchObject({ version: 1 });
    expect((await publish(ref)).published).toMatchObject({ version: 2, settings: { instructions: 'Two' } });
    const back = await publish(ref, { version: 1 });
    expect(back).toMatchObject({
      draft: { instructions: 'Two' },
      published: { version: 1, settings: { instructions: 'One' } },
    });
    expect(
      scene.audit.of(ref.tenantId).map(({ action, actor: by, details }) => [action, by, details['version']]),
    ).toEqual([
      ['assistant.published', actor, 1],
      ['assistant.published', actor, 2],
      ['assistant.published', actor, 1],
    ]);
  });

  test('that hold already are not published once more: a repeat changes nothing, and is told to nobody', async () => {
    const ref = aSession();
    await draft(ref, 'One');
    const first = await publish(ref);
    expect(await publish(ref)).toEqual(first);
    expect(await publish(ref, { version: 1 })).toEqual(first);
    expect(scene.audit.of(ref.tenantId)).toHaveLength(1);
    await draft(ref, 'Two');
    await publish(ref);
    await waitFor('two publications to be told', () => publications(ref).length === 2);
    expect(publications(ref)).toMatchObject([
      { sessionId: ref.sessionId, version: 1, mode: 'auto', publication: 1 },
      { sessionId: ref.sessionId, version: 2, mode: 'auto', publication: 2 },
    ]);
  });

  test('that somebody else has changed meanwhile are not written over', async () => {
    const ref = aSession();
    await draft(ref, 'One');
    await draft(ref, 'Two', 1);
    await expect(draft(ref, 'Three', 1)).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    await expect(publish(ref, { ifRevision: 1 })).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    await expect(publish(ref, { version: 7 })).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    await expect(publish(aSession())).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
  });

  test('belong to one tenant: another one reads defaults, and changes nothing', async () => {
    const ref = aSession();
    await draft(ref, 'Mine');
    await publish(ref);
    const stranger = { tenantId: randomUUID(), sessionId: ref.sessionId };
    expect(await scene.service.rpc.request(GetAssistantSettings, stranger)).toMatchObject({ revision: 0 });
    await expect(draft(stranger, 'Not mine')).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    await expect(publish(stranger)).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    const own = await scene.service.rpc.request(GetAssistantSettings, ref);
    expect(own.published).toMatchObject({ settings: { instructions: 'Mine' } });
  });

  test('are kept in fifty versions and the one that holds', async () => {
    const ref = aSession();
    for (let count = 0; count < 53; count += 1) {
      await draft(ref, `Version ${count}`);
      await publish(ref);
    }
    const rows = await scene.service.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM assistant.settings_version WHERE session_id = '${ref.sessionId}'`,
    );
    expect(rows).toEqual([{ count: 50 }]);
  });
});

describe('the provider of a tenant', () => {
  const set = (tenantId: string, fields: object) =>
    scene.service.rpc.request(SetProvider, { tenantId, model: 'stand-in', actor, ...fields } as never);

  test('is shown without its key, of which the database has nothing readable', async () => {
    const shop = new Shop(scene);
    await shop.provider();
    const { provider } = await scene.service.rpc.request(GetProvider, { tenantId: shop.tenantId });
    expect(provider).toEqual({
      ...{ baseUrl: scene.model.url, model: 'stand-in', fallbackModel: null, revision: 1 },
      ...{ kind: 'openai', keyEnding: shop.key.slice(-4) },
    });
    const [row] = await scene.service.database.query<{ text: string }>(
      `SELECT encode(key_enc, 'escape') AS text FROM assistant.provider WHERE tenant_id = '${shop.tenantId}'`,
    );
    expect(row?.text).not.toContain(shop.key.slice(4, 20));
    expect(JSON.stringify(scene.audit.of(shop.tenantId))).not.toContain(shop.key);
  });

  test('keeps its key where none is given, and loses it with null', async () => {
    const shop = new Shop(scene);
    await shop.provider();
    const { tenantId } = shop;
    const kept = await set(tenantId, { baseUrl: scene.model.url, model: 'other' });
    expect(kept.provider).toMatchObject({ model: 'other', keyEnding: shop.key.slice(-4), revision: 2 });
    const without = await set(tenantId, { baseUrl: scene.model.url, key: null });
    expect(without.provider).toMatchObject({ keyEnding: null });
  });

  test('does not get a stored key sent to another address', async () => {
    const shop = new Shop(scene);
    await shop.provider();
    const elsewhere = set(shop.tenantId, { baseUrl: 'http://127.0.0.1:9/v1' });
    await expect(elsewhere).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'key' }] },
    });
  });

  test.each([
    'http://10.0.0.1/v1',
    'http://169.254.169.254/latest',
    'https://localhost/v1',
    'ftp://example.com',
    'https://u:p@example.com',
  ])('is refused at %s', async (baseUrl) => {
    await expect(set(randomUUID(), { baseUrl })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'baseUrl' }] },
    });
  });

  test('is forgotten with its key', async () => {
    const shop = new Shop(scene);
    await shop.provider();
    await scene.service.rpc.request(DeleteProvider, { tenantId: shop.tenantId, actor });
    expect(await scene.service.rpc.request(GetProvider, { tenantId: shop.tenantId })).toEqual({});
  });
});
