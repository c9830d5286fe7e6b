import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AssistantSettings,
  GetToolServer,
  ListToolServers,
  SetAssistantSettings,
  SetToolServer,
  type SetToolServerV1,
  TOOL_SERVERS_MAX,
  type ToolServer,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { json, McpServer, resultOf } from './mcp-server.js';
import { Scene, type Shop } from './scene.js';

let scene: Scene;
let server: McpServer;
beforeAll(async () => {
  [scene, server] = await Promise.all([Scene.start(), McpServer.start()]);
});
afterAll(async () => {
  await Promise.all([scene.stop(), server.stop()]);
});
afterEach(() => server.reset());

const actor = 'key:test';
const CALLED = 'shop__find_order';

const serverOf = (tenantId: string, fields: Partial<SetToolServerV1> = {}): SetToolServerV1 => ({
  ...{ tenantId, name: 'shop', actor, url: server.url, timeoutMs: 2_000 },
  ...{ allow: ['find_order'], readOnly: ['find_order'] },
  ...fields,
});
const set = async (request: SetToolServerV1): Promise<ToolServer> =>
  (await scene.service.rpc.request(SetToolServer, request)).server;

/** Makes a session whose model may call a tool of the server. */
async function shopWithServer(
  settings: Partial<AssistantSettings> = {},
  fields: Partial<SetToolServerV1> = {},
): Promise<Shop> {
  const shop = await scene.shop();
  await set(serverOf(shop.tenantId, fields));
  await shop.settings({ tools: [CALLED], handoffText: 'A colleague comes.', ...settings });
  server.got.length = 0;
  return shop;
}

const INITIALIZED = {
  ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
  serverInfo: { name: 'shop', version: '1' },
};

// Addresses within, in the spellings that a parser of addresses takes.
const WITHIN = [
  ...['127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001', '0x7F.1'],
  ...['127.0.0.1.', '127.127.127.127', '0', '0.0.0.0', '00000000', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]'],
  ...['[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::FFFF:0:7f00:1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '169.254.169.254', '2852039166', '0xa9fea9fe'],
  ...['0251.0376.0251.0376', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '10.0.0.1', '10.1', '167772161'],
  ...['172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.257', '100.64.0.1', '100.100.100.200'],
  ...['168.63.129.16', '[fe80::1]', '[fc00::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[2001::1]'],
  ...['[100::1]', '224.0.0.1', '240.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1', '203.0.113.1'],
  ...['１２７.０.０.１', '①②⑦.0.0.1', '127。0。0。1', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost'],
];

describe('whoever sets a server', () => {
  const refused = (fields: Partial<SetToolServerV1>, field: string) =>
    expect(set(serverOf(randomUUID(), fields))).rejects.toMatchObject({
      ...{ code: 'VALIDATION_FAILED', message: expect.stringContaining(field) },
    });

  test('sees what it offers, and the names of its headers alone; the audit log has who it was', async () => {
    const tenantId = randomUUID();
    server.tools.push({ name: 'odd.name', description: 'x'.repeat(2_000), inputSchema: { type: 'object' } });
    const seen = await set(serverOf(tenantId, { headers: { 'X-Token': 'a-secret' } }));
    expect(seen).toMatchObject({
      ...{ name: 'shop', url: server.url, allow: ['find_order'], readOnly: ['find_order'] },
      ...{ timeoutMs: 2_000, headerNames: ['X-Token'], revision: 1 },
      tools: [
        { name: 'find_order', usable: true, tool: CALLED, problem: null },
        { name: 'refund', usable: false, tool: null, problem: 'It is not in allow.', parameters: null },
        { name: 'odd.name', usable: false, description: 'x'.repeat(1_000) },
      ],
    });
    const ref = { tenantId, name: 'shop' };
    expect((await scene.service.rpc.request(GetToolServer, ref)).server).toEqual(seen);
    const { tools: _, ...listed } = seen;
    expect((await scene.service.rpc.request(ListToolServers, { tenantId })).servers).toEqual([listed]);
    const rows = await scene.service.database.query(
      `SELECT * FROM assistant.tool_server WHERE tenant_id = '${tenantId}'`,
    );
    expect(JSON.stringify([rows, seen])).not.toContain('a-secret');
    await waitFor('the audit log', () => scene.audit.of(tenantId).length > 0);
    expect(scene.audit.of(tenantId)).toMatchObject([
      {
        ...{ action: 'assistant.tool_server_changed', actor },
        details: { server: 'shop', allow: ['find_order'], headers: ['X-Token'] },
      },
    ]);
  });

  test.each<[string, object, string]>([
    ['a pattern', { properties: { a: { type: 'string', pattern: '(a+)+$' } } }, 'the keyword "pattern"'],
    ['a combination', { properties: { a: { anyOf: [] } } }, 'the keyword "anyOf"'],
    ['the character 0', { description: 'a\0b' }, 'the character 0'],
    ['too many characters', { description: 'x'.repeat(8_001) }, '8000 characters'],
  ])('reads that a tool whose schema has %s is not usable, and why', async (_, schema, problem) => {
    server.tools = [{ name: 'find_order', inputSchema: { type: 'object', ...schema } }];
    const { tools } = await set(serverOf(randomUUID()));
    expect(tools).toMatchObject([
      { usable: false, tool: null, parameters: null, problem: expect.stringContaining(problem) },
    ]);
  });

  test('reads that a tool is not offered, and may not name it in settings', async () => {
    const { tenantId, sessionId } = await scene.shop();
    const { tools } = await set(serverOf(tenantId, { allow: ['fly', 'find_order'] }));
    expect(tools[0]).toMatchObject({ name: 'fly', usable: false, problem: 'The server does not offer it.' });
    const named = (tool: string) =>
      scene.service.rpc.request(SetAssistantSettings, {
        ...{ tenantId, sessionId, settings: { tools: [tool] } as AssistantSettings },
      });
    for (const tool of ['shop__fly', 'shop__refund', 'other__find_order'])
      await expect(named(tool)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await named(CALLED);
  });

  test('of a list without end reads its first pages alone, of a long one 100 tools', async () => {
    server.tools = Array.from({ length: 150 }, (_, index) => ({
      ...{ name: `tool_${index}`, inputSchema: { type: 'object' as const } },
    }));
    const { tools } = await set(serverOf(randomUUID(), { allow: ['tool_149'], readOnly: [] }));
    expect(tools).toHaveLength(100);
    expect(tools[0]).toMatchObject({ name: 'tool_149', usable: true });
    let pages = 0;
    server.instead = ({ body }, response) => {
      if (body.method !== 'tools/list') return false;
      pages += 1;
      json(response, resultOf(body, { tools: [], nextCursor: String(pages) }));
      return true;
    };
    await expect(set(serverOf(randomUUID()))).rejects.toMatchObject({ code: 'TOOL_SERVER_FAILED' });
    expect(pages).toBe(8);
  });

  test('keeps tools as long as there is room for them', async () => {
    const wide = '漢'.repeat(7_500);
    server.tools = Array.from({ length: 32 }, (_, index) => ({
      ...{
        name: `tool_${index}`,
        description: 'x',
        inputSchema: { type: 'object' as const, description: wide },
      },
    }));
    const allow = server.tools.map(({ name }) => name);
    const { tools } = await set(serverOf(randomUUID(), { allow, readOnly: [] }));
    expect(tools.filter(({ usable }) => usable)).toHaveLength(22);
    expect(tools[31]?.problem).toMatch(/no room/);
  });

  test('keeps its headers, but for another address', async () => {
    const { tenantId } = await shopWithServer({}, { headers: { 'X-Token': 'a-secret' } });
    await set(serverOf(tenantId, { timeoutMs: 1_000 }));
    expect(server.got[0]?.headers['x-token']).toBe('a-secret');
    server.got.length = 0;
    const other = server.url.replace('/mcp', '/other');
    await expect(set(serverOf(tenantId, { url: other }))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect(server.got).toEqual([]);
    expect(await set(serverOf(tenantId, { url: other, headers: {} }))).toMatchObject({
      ...{ headerNames: [], revision: 3 },
    });
  });

  test('while somebody else sets it to another address sends its stored headers nowhere else', async () => {
    const { tenantId } = await shopWithServer({}, { headers: { 'X-Token': 'a-secret' } });
    const other = server.url.replace('/mcp', '/other');
    let isFirst = true;
    let second: Promise<ToolServer> | undefined;
    server.instead = ({ body }, response) => {
      if (body.method !== 'initialize' || !isFirst) return false;
      isFirst = false;
      second = set(serverOf(tenantId, { url: other, headers: { 'X-Token': 'another' } }));
      void second.then(() => json(response, resultOf(body, INITIALIZED)));
      return true;
    };
    await expect(set(serverOf(tenantId))).rejects.toMatchObject({ code: 'TOOL_SERVER_CONFLICT' });
    await expect(second).resolves.toMatchObject({ url: other, revision: 2 });
  });

  test.each<[string, Partial<SetToolServerV1>, string]>([
    ['an address that is nobody’s', { url: 'http://169.254.169.254/latest' }, 'url'],
    ['an address inside', { url: 'http://localhost:1/' }, 'url'],
    ['a header that is ours', { headers: { 'Idempotency-Key': 'x' } }, 'headers'],
    ['a header of the protocol', { headers: { 'Mcp-Session-Id': 'x' } }, 'headers'],
    ['a tool whose name gets too long', { allow: ['x'.repeat(59)], readOnly: [] }, 'allow[0]'],
    ['a read-only tool that is not allowed', { readOnly: ['refund'] }, 'readOnly[0]'],
  ])('with %s is refused, and nobody asked', async (_, fields, field) => {
    await refused(fields, field);
    expect(server.got).toEqual([]);
  });

  test.each(WITHIN)('with the address %s is refused, and nobody asked', async (host) => {
    await refused({ url: `https://${host}:1/mcp` }, 'url');
    expect(server.got).toEqual([]);
  });

  test(`has ${TOOL_SERVERS_MAX} at most`, async () => {
    const tenantId = randomUUID();
    for (let index = 0; index < TOOL_SERVERS_MAX; index += 1)
      await set(serverOf(tenantId, { name: `shop-${index}` }));
    await expect(set(serverOf(tenantId, { name: 'one-more' }))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await set(serverOf(tenantId, { name: 'shop-3', allow: [], readOnly: [] }));
  });
});
