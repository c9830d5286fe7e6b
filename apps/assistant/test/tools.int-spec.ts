import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AssistantSettings,
  conversationIdOf,
  DeleteTool,
  ListTools,
  ListTurns,
  PublishAssistantSettings,
  SetAssistantSettings,
  SetTool,
  type SetToolV1,
  TOOLS_MAX,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { aContact, Scene, type Shop } from './scene.js';
import { type ToolAnswer, ToolServer } from './tool-server.js';

let scene: Scene;
let server: ToolServer;
beforeAll(async () => {
  [scene, server] = await Promise.all([Scene.start(), ToolServer.start()]);
});
afterAll(async () => {
  await Promise.all([scene.stop(), server.stop()]);
});
afterEach(() => {
  server.answer = () => ({ text: '{"state":"on its way"}' });
});

const PARAMETERS = {
  type: 'object',
  properties: { number: { type: 'string', maxLength: 10 }, express: { type: 'boolean' } },
  required: ['number'],
  additionalProperties: false,
};

const toolOf = (tenantId: string, fields: Partial<SetToolV1> = {}): SetToolV1 => ({
  ...{ tenantId, name: 'look_up_order', actor: 'key:test', description: 'Looks up an order.' },
  ...{ url: server.url, parameters: PARAMETERS, readOnly: true, timeoutMs: 2_000, needsApproval: false },
  ...fields,
});
const set = (tool: SetToolV1) => scene.service.rpc.request(SetTool, tool);

/** Makes a session whose model may look up orders. */
async function shopWithTool(
  settings: Partial<AssistantSettings> = {},
  fields: Partial<SetToolV1> = {},
): Promise<Shop> {
  const shop = await scene.shop();
  const { tool } = await set(toolOf(shop.tenantId, fields));
  await shop.settings({ tools: [tool.name], handoffText: 'A colleague comes.', ...settings });
  return shop;
}

const calling = (said: object | string, name = 'look_up_order') => ({
  times: 1,
  toolCalls: [{ name, arguments: typeof said === 'string' ? said : JSON.stringify(said) }],
});

async function answered(shop: Shop, rules: object[], text = 'Where is order 7?') {
  await scene.model.rules(shop.key, rules);
  const chat = aContact();
  await shop.write(chat, text, { phone: '+4915112345678' });
  const [ended] = await shop.ended(chat);
  return { chat, ended, texts: scene.around.textsOf(shop.sessionId) };
}

const toolCallsOf = async ({ tenantId, sessionId }: Shop) =>
  (await scene.service.rpc.request(ListTurns, { tenantId, sessionId, limit: 1 })).turns[0]?.toolCalls;

describe('a model that may call a tool', () => {
  test('answers with what the tool says, who is told by us who asks and which call it is', async () => {
    const shop = await shopWithTool({}, { headers: { Authorization: 'Bearer of-the-shop' } });
    const rules = [calling({ number: '7' }), { text: 'Your order: {result}' }];
    const { chat, ended, texts } = await answered(shop, rules);
    expect(ended).toEqual({ outcome: 'ANSWERED', detail: null });
    expect(texts).toEqual(['Your order: {"state":"on its way"}']);
    const { tenantId, sessionId } = shop;
    const [call] = server.callsOf(sessionId);
    expect(call?.headers).toMatchObject({
      authorization: 'Bearer of-the-shop',
      'idempotency-key': call?.body.callId,
    });
    expect(call?.body).toEqual({
      ...{ callId: expect.any(String), tool: 'look_up_order', arguments: { number: '7' }, sessionId },
      conversationId: conversationIdOf({ tenantId, sessionId, contact: chat }),
      ...{ chatId: chat, phone: '+4915112345678' },
    });
    expect(await toolCallsOf(shop)).toEqual([{ tool: 'look_up_order', outcome: 'DONE' }]);
  });

  test('is accounted for with each answer, and what the tool said is not kept', async () => {
    const shop = await shopWithTool();
    await answered(shop, [calling({ number: '7' }), { text: 'Here.' }]);
    await waitFor('both calls', () => shop.told().length === 2);
    const kept = await scene.service.database.query(
      `SELECT answer FROM assistant.tool_call WHERE tenant_id = '${shop.tenantId}'`,
    );
    expect(kept).toEqual([{ answer: null }]);
  });

  test.each<[string, string, string]>([
    ['no JSON', 'seven', 'are not JSON'],
    ['no object', '[7]', 'are not an object'],
    ['what the schema does not allow', '{"number": 7}', '/number must be string'],
    ['too little', '{}', "must have required property 'number'"],
    ['too much', '{"number":"7","admin":true}', 'must NOT have additional properties'],
  ])('with %s is told so, and the tool is not called', async (_, said, words) => {
    const shop = await shopWithTool();
    const { texts } = await answered(shop, [calling(said), { text: '{result}' }]);
    expect(server.callsOf(shop.sessionId)).toEqual([]);
    expect(texts).toEqual([expect.stringContaining(words)]);
    expect(await toolCallsOf(shop)).toEqual([{ tool: 'look_up_order', outcome: 'BAD_ARGUMENTS' }]);
  });

  test('gets no other one: not of its tenant, not of another', async () => {
    const shop = await shopWithTool();
    await set(toolOf(shop.tenantId, { name: 'refund' }));
    await set(toolOf(randomUUID(), { name: 'wipe' }));
    for (const name of ['refund', 'wipe'])
      expect(
        (await answered(shop, [calling({ number: '7' }, name), { text: '{result}' }])).texts.at(-1),
      ).toMatch(/no such tool/);
    expect(server.callsOf(shop.sessionId)).toEqual([]);
    const [{ tools }] = (await scene.model.calls(shop.key)) as unknown as [
      { tools: { function: { name: string } }[] },
    ];
    expect(tools.map((tool) => tool.function.name)).toEqual(['hand_over', 'look_up_order']);
  });

  test('that calls and calls has to answer in the end', async () => {
    const shop = await shopWithTool();
    const again = Array.from({ length: 8 }, (_, index) => ({
      ...calling({ number: String(index) }),
      when: index === 0 ? {} : { afterTool: 'look_up_order' },
    }));
    const { ended } = await answered(shop, [...again, { text: 'Enough.' }]);
    expect(server.callsOf(shop.sessionId)).toHaveLength(4);
    expect(await scene.model.calls(shop.key)).toHaveLength(5);
    // Its last answer calls a tool that it does not have any more, and says nothing.
    expect(ended).toEqual({ outcome: 'PROVIDER_FAILED', detail: 'EMPTY_ANSWER' });
  });

  test('and hands over in the same breath calls none', async () => {
    const shop = await shopWithTool();
    const both = [...calling({ number: '7' }).toolCalls, { name: 'hand_over', arguments: '{}' }];
    const { ended } = await answered(shop, [{ toolCalls: both }]);
    expect(ended).toEqual({ outcome: 'HANDED_OFF', detail: 'MODEL_ASKED' });
    expect(server.callsOf(shop.sessionId)).toEqual([]);
  });
});

describe('a tool', () => {
  test.each<[string, ToolAnswer, string]>([
    ['that fails', { status: 500, text: 'stack trace' }, 'HTTP_500'],
    ['that wants to send us elsewhere', { status: 302, text: '' }, 'HTTP_302'],
    ['that cuts the connection', 'cut', 'CONNECTION_LOST'],
    ['that does not answer', 'never', 'TIMEOUT'],
    ['that says too much', { text: 'x'.repeat(1_100_000) }, 'ANSWER_TOO_LARGE'],
  ])('%s does so to the model, which answers the contact', async (_, answer, code) => {
    const shop = await shopWithTool({}, { timeoutMs: 500 });
    server.answer = () => answer;
    const { ended, texts } = await answered(shop, [calling({ number: '7' }), { text: 'Sorry: {result}' }]);
    expect(ended).toEqual({ outcome: 'ANSWERED', detail: null });
    expect(texts).toEqual([expect.stringMatching(/^Sorry: .*It has failed/)]);
    expect(texts[0]).not.toContain('stack trace');
    expect(await toolCallsOf(shop)).toEqual([{ tool: 'look_up_order', outcome: code }]);
  });

  test('that answers with what no database takes is read all the same', async () => {
    const shop = await shopWithTool();
    server.answer = () => ({ text: `a\0b${'😀'.repeat(5_000)}` });
    const { texts } = await answered(shop, [calling({ number: '7' }), { text: 'Read.' }]);
    expect(texts).toEqual(['Read.']);
  });

  test('is called once where the contact writes again meanwhile, and again with the same key where it failed', async () => {
    const shop = await shopWithTool();
    const chat = aContact();
    let tries = 0;
    server.answer = () => {
      tries += 1;
      if (tries === 1) return { status: 503, text: '' };
      void shop.write(chat, 'Hello?');
      return { text: '"here"' };
    };
    await scene.model.rules(shop.key, [
      { ...calling({ number: '7' }), times: 1 },
      { ...calling({ number: '7' }), when: { afterTool: 'look_up_order' }, times: 1 },
      { text: 'First.', delayMs: 1_000, times: 1 },
      calling({ number: '7' }),
      { text: 'Answer: {result}' },
    ]);
    await shop.write(chat, 'Where is 7?');
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Answer: "here"']);
    const calls = server.callsOf(shop.sessionId);
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test.each(['shadow', 'draft'] as const)(
    'that changes something is not called in the mode %s',
    async (mode) => {
      const shop = await shopWithTool({ mode }, { readOnly: false });
      await answered(shop, [calling({ number: '7' }), { text: 'Here.' }]);
      expect(server.callsOf(shop.sessionId)).toEqual([]);
      expect(await toolCallsOf(shop)).toEqual([{ tool: 'look_up_order', outcome: 'NOT_IN_THIS_MODE' }]);
    },
  );

  test('that changes nothing is', async () => {
    const shop = await shopWithTool({ mode: 'shadow' });
    await answered(shop, [calling({ number: '7' }), { text: 'Here.' }]);
    expect(server.callsOf(shop.sessionId)).toHaveLength(1);
  });

  test('that is deleted is missed by nobody', async () => {
    const shop = await shopWithTool();
    const { tenantId } = shop;
    await scene.service.rpc.request(DeleteTool, { tenantId, name: 'look_up_order', actor: 'key:test' });
    const { texts } = await answered(shop, [{ text: 'Hello.' }]);
    expect(texts).toEqual(['Hello.']);
  });
});

describe('whoever sets a tool', () => {
  const refused = (fields: Partial<SetToolV1>) =>
    expect(set(toolOf(randomUUID(), fields))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });

  test('sees it, and the names of its headers alone; the audit log has who it was', async () => {
    const tenantId = randomUUID();
    await set(toolOf(tenantId, { headers: { 'X-Token': 'a-secret' } }));
    const { tools } = await scene.service.rpc.request(ListTools, { tenantId });
    expect(tools).toEqual([
      {
        ...{
          name: 'look_up_order',
          description: 'Looks up an order.',
          url: server.url,
          parameters: PARAMETERS,
        },
        ...{ readOnly: true, needsApproval: false, timeoutMs: 2_000, headerNames: ['X-Token'], revision: 1 },
      },
    ]);
    const rows = await scene.service.database.query(
      `SELECT * FROM assistant.tool WHERE tenant_id = '${tenantId}'`,
    );
    expect(JSON.stringify(rows)).not.toContain('a-secret');
    await waitFor('the audit log', () => scene.audit.of(tenantId).length > 0);
    expect(scene.audit.of(tenantId)).toMatchObject([
      {
        action: 'assistant.tool_changed',
        actor: 'key:test',
        details: { tool: 'look_up_order', headers: ['X-Token'] },
      },
    ]);
  });

  test('keeps its headers, but for another address', async () => {
    const shop = await shopWithTool({}, { headers: { 'X-Token': 'a-secret' } });
    const { tenantId } = shop;
    await set(toolOf(tenantId, { description: 'Other words.' }));
    await answered(shop, [calling({ number: '7' }), { text: 'Here.' }]);
    expect(server.callsOf(shop.sessionId)[0]?.headers['x-token']).toBe('a-secret');
    await expect(set(toolOf(tenantId, { url: `${server.url}/other` }))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const { tool } = await set(toolOf(tenantId, { url: `${server.url}/other`, headers: {} }));
    expect(tool).toMatchObject({ headerNames: [], revision: 3 });
  });

  test.each<[string, Partial<SetToolV1>]>([
    ['an address that is nobody’s', { url: 'http://169.254.169.254/latest' }],
    ['an address inside', { url: 'http://localhost:1/' }],
    ['the name of the tool that every model has', { name: 'hand_over' }],
    ['a header that is ours', { headers: { 'Idempotency-Key': 'x' } }],
    ['approval of what changes nothing', { readOnly: true, needsApproval: true }],
    ['no object for a schema', { parameters: { type: 'string' } }],
    [
      'a pattern',
      { parameters: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } },
    ],
    ['a reference', { parameters: { type: 'object', properties: { a: { $ref: '#' } } } }],
    ['a combination', { parameters: { type: 'object', properties: { a: { anyOf: [] } } } }],
    ['a keyword that is wrong', { parameters: { type: 'object', required: 'number' } }],
    ['a type that is none', { parameters: { type: 'object', properties: { a: { type: 'text' } } } }],
    ['properties that are none', { parameters: { type: 'object', properties: [] } }],
    ['a property without a name', { parameters: { type: 'object', properties: { '': {} } } }],
    ['a schema that is too long', { parameters: { type: 'object', description: 'x'.repeat(8_001) } }],
    [
      'a schema that is too deep',
      {
        parameters: JSON.parse(
          `${'{"type":"object","properties":{"a":'.repeat(6)}{}${'}}'.repeat(6)}`,
        ) as object as Record<string, unknown>,
      },
    ],
  ])('with %s is refused', (_, fields) => refused(fields));

  test(`has ${TOOLS_MAX} at most`, async () => {
    const tenantId = randomUUID();
    for (let index = 0; index < TOOLS_MAX; index += 1) await set(toolOf(tenantId, { name: `tool_${index}` }));
    await expect(set(toolOf(tenantId, { name: 'one_more' }))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await set(toolOf(tenantId, { name: 'tool_3', description: 'Other words.' }));
  });
});

test('settings name tools that are there', async () => {
  const { tenantId, sessionId } = await scene.shop();
  const settings = { tools: ['look_up_order'] } as AssistantSettings;
  const request = { tenantId, sessionId, settings };
  await expect(scene.service.rpc.request(SetAssistantSettings, request)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  await set(toolOf(tenantId));
  await scene.service.rpc.request(SetAssistantSettings, request);
  await scene.service.rpc.request(PublishAssistantSettings, { tenantId, sessionId, actor: 'key:test' });
});
