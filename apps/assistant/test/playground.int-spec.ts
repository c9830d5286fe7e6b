import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AddKnowledge,
  type AssistantSettings,
  GetFigures,
  ListGaps,
  ListHandoffs,
  ListTurns,
  Play,
  type PlayedAnswer,
  type PlaySide,
  SetAssistantSettings,
  SetTool,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Scene, type Shop } from './scene.js';
import { ToolServer } from './tool-server.js';

let scene: Scene;
let server: ToolServer;
beforeAll(async () => {
  [scene, server] = await Promise.all([Scene.start(), ToolServer.start()]);
});
afterAll(async () => {
  await Promise.all([scene.stop(), server.stop()]);
});

const draft = ({ tenantId, sessionId }: Shop, settings: Partial<AssistantSettings>) =>
  scene.service.rpc.request(SetAssistantSettings, {
    ...{ tenantId, sessionId, settings: settings as AssistantSettings },
  });
/** Plays what is said in turn by the contact and the business, the last word being the contact's. */
const play = ({ tenantId, sessionId }: Shop, texts: string[], published = false): Promise<PlayedAnswer> => {
  const sideOf = (index: number): PlaySide => ((texts.length - index) % 2 === 1 ? 'contact' : 'business');
  const messages = texts.map((text, index) => ({ from: sideOf(index), text }));
  return scene.service.rpc.request(Play, { tenantId, sessionId, messages, published });
};

describe('a conversation that is tried out', () => {
  test('is answered by the draft, counted, and sent to nobody', async () => {
    const shop = await scene.shop({ instructions: 'You sell bread.' });
    await draft(shop, { instructions: 'You sell cake.', openingText: 'Welcome!', splitAnswers: true });
    await scene.model.rules(shop.key, [{ text: 'Yes.\n\nMany.' }]);
    const played = await play(shop, ['Do you have cake?']);
    expect(played).toEqual({
      ...{ texts: ['Welcome!', 'Yes.', 'Many.'], outcome: 'ANSWERED', detail: null, version: null },
      ...{ sources: [], toolCalls: [], tokens: expect.any(Number) },
    });
    await waitFor('the tokens', () => shop.told().length > 0);
    expect(shop.told()).toMatchObject([{ purpose: 'playground', tokens: played.tokens }]);
    const [asked] = await scene.model.calls(shop.key);
    expect(asked?.messages[0]?.content).toContain('You sell cake.');
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
  });

  test('is in no list and in no figure, and nothing of it is kept', async () => {
    const shop = await scene.shop();
    await play(shop, ['Hello?', 'Hello!', 'My secret is 4711.']);
    const { tenantId, sessionId } = shop;
    const ref = { tenantId, sessionId };
    expect(await scene.service.rpc.request(ListTurns, { ...ref, limit: 10 })).toEqual({ turns: [] });
    const figures = await scene.service.rpc.request(GetFigures, { ...ref, days: 1 });
    expect(figures).toMatchObject({ turns: 0, tokens: 0 });
    for (const table of ['turn', 'turn_message', 'model_call', 'tool_call'])
      expect(
        await scene.service.database.query(`SELECT FROM assistant.${table} WHERE tenant_id = '${tenantId}'`),
      ).toEqual([]);
  });

  test('is read by the model from its beginning, and its first texts are said once', async () => {
    const shop = await scene.shop();
    await draft(shop, { openingText: 'Welcome!' });
    await scene.model.rules(shop.key, [{ text: 'At seven.' }]);
    expect((await play(shop, ['Hello', 'Hello!', 'When?'])).texts).toEqual(['At seven.']);
    const [asked] = await scene.model.calls(shop.key);
    expect(asked?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hello!'],
      ['user', 'When?'],
    ]);
  });

  test('is answered by the version that holds where that is asked for', async () => {
    const shop = await scene.shop({ instructions: 'You sell bread.' });
    await draft(shop, { instructions: 'You sell cake.' });
    expect(await play(shop, ['Hello?'], true)).toMatchObject({ outcome: 'ANSWERED', version: 1 });
    const [asked] = await scene.model.calls(shop.key);
    expect(asked?.messages[0]?.content).toContain('You sell bread.');
  });

  test('calls the tools that change nothing, and no other', async () => {
    const shop = await scene.shop();
    const { tenantId } = shop;
    const tool = {
      tenantId,
      actor: 'key:test',
      description: 'A tool.',
      url: server.url,
      timeoutMs: 2_000,
      needsApproval: false,
    };
    const schema = { parameters: { type: 'object', properties: {} } };
    await scene.service.rpc.request(SetTool, { ...tool, ...schema, name: 'look_up', readOnly: true });
    await scene.service.rpc.request(SetTool, { ...tool, ...schema, name: 'refund', readOnly: false });
    await draft(shop, { tools: ['look_up', 'refund'] });
    const toolCalls = ['look_up', 'refund'].map((name) => ({ name, arguments: '{}' }));
    await scene.model.rules(shop.key, [{ toolCalls, times: 1 }, { text: 'Done.' }]);
    const played = await play(shop, ['Refund me']);
    expect(played.toolCalls).toEqual([
      { tool: 'look_up', outcome: 'DONE' },
      { tool: 'refund', outcome: 'NOT_IN_THIS_MODE' },
    ]);
    expect(server.callsOf(shop.sessionId)).toMatchObject([{ body: { tool: 'look_up', phone: null } }]);
  });

  test('gives nobody the conversation, and notes no gap', async () => {
    const shop = await scene.shop();
    const { tenantId, sessionId } = shop;
    await draft(shop, { handoffWords: ['agent'], handoffText: 'A colleague comes.', onlyFromSources: true });
    expect(await play(shop, ['agent'])).toMatchObject({
      ...{ texts: ['A colleague comes.'], outcome: 'HANDED_OFF', detail: 'CONTACT_ASKED', tokens: 0 },
    });
    expect(await play(shop, ['Do you have cake?'])).toMatchObject({ detail: 'NO_SOURCE' });
    expect(await scene.service.rpc.request(ListHandoffs, { tenantId, limit: 10 })).toEqual({ handoffs: [] });
    expect(await scene.service.rpc.request(ListGaps, { tenantId, sessionId, limit: 10 })).toEqual({
      gaps: [],
    });
    const source = { title: 'Cake', text: 'We have cake with cherries.' };
    const added = await scene.service.rpc.request(AddKnowledge, { tenantId, sessionId, source });
    expect(await play(shop, ['Do you have cake?'])).toMatchObject({
      ...{ outcome: 'ANSWERED', sources: [added.source.id] },
    });
  });

  test.each([
    ['refuses', { error: { status: 401 } }, 'HTTP_401'],
    ['cannot answer now', { error: { status: 503 } }, 'AWAY'],
    ['says nothing', { text: '' }, 'EMPTY_ANSWER'],
  ])('says so where the model %s', async (_, rule, detail) => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [rule]);
    expect(await play(shop, ['Hello?'])).toMatchObject({ texts: [], outcome: 'PROVIDER_FAILED', detail });
  });

  test('is not answered where the subscription does not allow it, whatever the mode and the number', async () => {
    const shop = await scene.shop();
    await draft(shop, { mode: 'off' });
    scene.around.botMode = 'EXTERNAL';
    expect(await play(shop, ['Hello?'])).toMatchObject({ outcome: 'ANSWERED' });
    scene.around.botMode = 'MANAGED';
    scene.around.subscription = { active: false, status: 'UNPAID' };
    expect(await play(shop, ['Hello?'])).toMatchObject({ outcome: 'SUBSCRIPTION', tokens: 0 });
    scene.around.subscription = {};
  });

  test('ends with the contact, and has a version where that is asked for', async () => {
    const shop = await scene.shop();
    const { tenantId } = shop;
    const ask = { tenantId, sessionId: tenantId, published: true };
    const contact = [{ from: 'contact' as const, text: 'Hello?' }];
    await expect(scene.service.rpc.request(Play, { ...ask, messages: contact })).rejects.toMatchObject({
      code: 'ASSISTANT_CONFLICT',
    });
    const messages = [{ from: 'business' as const, text: 'Hello!' }];
    await expect(scene.service.rpc.request(Play, { ...ask, messages })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });
});
