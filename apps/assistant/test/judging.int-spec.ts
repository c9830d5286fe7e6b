import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AssistantSettings,
  DemandEvals,
  GetAssistantSettings,
  Judge,
  type Judgement,
  NoteEvalsRun,
  PublishAssistantSettings,
  SetAssistantSettings,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Scene, Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

const MESSAGES = [
  { from: 'contact' as const, text: 'When do you open?' },
  { from: 'business' as const, text: 'We open at seven.' },
];
const CRITERIA = ['It names an hour.', 'It names a day.'];

const judge = ({ tenantId, sessionId }: Shop, messages = MESSAGES): Promise<Judgement> =>
  scene.service.rpc.request(Judge, { tenantId, sessionId, messages, criteria: CRITERIA });

describe('an answer that is judged', () => {
  test('has a verdict of the model for each sentence, which is counted as a conversation that is tried out', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [{ text: '1. yes\n2. no: it names no day' }]);
    const { verdicts, tokens } = await judge(shop);
    expect(verdicts).toEqual([
      { holds: true, reason: null },
      { holds: false, reason: 'it names no day' },
    ]);
    await waitFor('the tokens', () => shop.told().length > 0);
    expect(shop.told()).toMatchObject([{ purpose: 'playground', tokens }]);
    const [asked] = await scene.model.calls(shop.key);
    expect(asked?.messages[1]?.content).toContain('Business: We open at seven.');
    const { database } = scene.service;
    for (const table of ['turn', 'model_call'])
      expect(
        await database.query(`SELECT FROM assistant.${table} WHERE tenant_id = '${shop.tenantId}'`),
      ).toEqual([]);
  });

  test.each([
    ['refuses', { error: { status: 401 } }, 'There is no judgement: HTTP_401'],
    ['cannot answer now', { error: { status: 503 } }, 'There is no judgement: AWAY'],
    ['says something else', { text: 'A fine answer!' }, 'The model has not said it.'],
  ])('has no verdict where the model %s', async (_, rule, reason) => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [rule]);
    expect((await judge(shop)).verdicts).toEqual(CRITERIA.map(() => ({ holds: null, reason })));
  });

  test('has no verdict where the subscription allows no call', async () => {
    const shop = await scene.shop();
    scene.around.subscription = { active: false, status: 'UNPAID' };
    const { verdicts, tokens } = await judge(shop);
    scene.around.subscription = {};
    expect([verdicts[0]?.reason, tokens]).toEqual(['There is no judgement: UNPAID', 0]);
    expect(await scene.model.calls(shop.key)).toEqual([]);
  });

  test('is judged by a model alone: not by a bot, and not by nobody', async () => {
    const shop = new Shop(scene);
    const reasonOf = async (): Promise<unknown> => (await judge(shop)).verdicts[0]?.reason;
    expect(await reasonOf()).toBe('There is no judgement: NOT_CONFIGURED');
    await shop.provider({ kind: 'http' });
    expect(await reasonOf()).toBe('There is no judgement: PROVIDER_HAS_NO_MODEL');
    expect(await scene.model.calls(shop.key)).toEqual([]);
  });
});

describe('publishing that demands evals', () => {
  const actor = 'key:test';
  const refOf = ({ tenantId, sessionId }: Shop) => ({ tenantId, sessionId });
  const draft = (shop: Shop, settings: Partial<AssistantSettings>) =>
    scene.service.rpc.request(SetAssistantSettings, {
      ...refOf(shop),
      settings: settings as AssistantSettings,
    });
  const publish = (shop: Shop, fields: { version?: number } = {}) =>
    scene.service.rpc.request(PublishAssistantSettings, { ...refOf(shop), actor, ...fields });
  const note = (shop: Shop, revision: number, failed: number) =>
    scene.service.rpc.request(NoteEvalsRun, { ...refOf(shop), run: { revision, conversations: 4, failed } });

  test('refuses a draft without a run, with one that failed, and with one of an earlier revision', async () => {
    const shop = await scene.shop();
    await scene.service.rpc.request(DemandEvals, { ...refOf(shop), demanded: true, actor });
    await draft(shop, { mode: 'shadow' });
    await expect(publish(shop)).rejects.toMatchObject({
      message: expect.stringContaining('revision 2 has no run'),
    });
    await note(shop, 2, 1);
    await expect(publish(shop)).rejects.toMatchObject({
      ...{
        code: 'ASSISTANT_CONFLICT',
        message: expect.stringContaining('1 of 4 conversations did not hold'),
      },
    });
    await note(shop, 2, 0);
    await draft(shop, { mode: 'draft' });
    await expect(publish(shop)).rejects.toMatchObject({
      message: expect.stringContaining('revision 3 has no run'),
    });
    await expect(note(shop, 2, 0)).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    const { evals } = await note(shop, 3, 0);
    expect(evals).toEqual({ revision: 3, conversations: 4, failed: 0, at: expect.stringMatching(/Z$/) });
    expect((await publish(shop)).published).toMatchObject({ version: 2 });
  });

  test('lets what holds be published again, and go back', async () => {
    const shop = await scene.shop();
    await draft(shop, { mode: 'shadow' });
    await publish(shop);
    await scene.service.rpc.request(DemandEvals, { ...refOf(shop), demanded: true, actor });
    expect((await publish(shop)).published).toMatchObject({ version: 2 });
    expect((await publish(shop, { version: 1 })).published).toMatchObject({ version: 1 });
  });

  test('is said before there is a draft, is audited once, and can be taken back', async () => {
    const shop = new Shop(scene);
    const demand = (demanded: boolean) =>
      scene.service.rpc.request(DemandEvals, { ...refOf(shop), demanded, actor });
    expect(await demand(true)).toMatchObject({ evalsDemanded: true, revision: 0 });
    await demand(true);
    await expect(publish(shop)).rejects.toMatchObject({ message: 'There is no draft to publish.' });
    await draft(shop, { mode: 'auto' });
    await expect(publish(shop)).rejects.toMatchObject({ code: 'ASSISTANT_CONFLICT' });
    expect(await demand(false)).toMatchObject({ evalsDemanded: false, revision: 1 });
    expect((await publish(shop)).published).toMatchObject({ version: 1 });
    const demands = () =>
      scene.audit.of(shop.tenantId).filter(({ action }) => action === 'assistant.evals_demanded');
    await waitFor('the audit log', () => demands().length >= 2);
    expect(demands().map(({ details }) => details)).toEqual([{ demanded: true }, { demanded: false }]);
  });

  test('is the business of its tenant alone', async () => {
    const [shop, stranger] = [await scene.shop(), new Shop(scene)];
    const foreign = { tenantId: stranger.tenantId, sessionId: shop.sessionId };
    await scene.service.rpc.request(DemandEvals, { ...foreign, demanded: true, actor });
    const run = { revision: 1, conversations: 1, failed: 0 };
    await expect(scene.service.rpc.request(NoteEvalsRun, { ...foreign, run })).rejects.toMatchObject({
      code: 'ASSISTANT_CONFLICT',
    });
    const kept = await scene.service.rpc.request(GetAssistantSettings, refOf(shop));
    expect(kept).toMatchObject({ evalsDemanded: false });
    expect(kept).not.toHaveProperty('evals');
  });
});
