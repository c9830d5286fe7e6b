import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SetTool, SetToolServer } from '@svc/contracts';
import { headerOf, PeriodicTasks, SealedTables, SecretBox, secretKey } from '@svc/service';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../src/audited-changes.js';
import { AssistantConfig } from '../src/config.js';
import { ProviderRepository } from '../src/providers/provider.repository.js';
import { ToolServerRepository } from '../src/tool-servers/tool-server.repository.js';
import { ToolRepository } from '../src/tools/tool.repository.js';
import { McpServer } from './mcp-server.js';
import { Scene } from './scene.js';

let scene: Scene;
let mcp: McpServer;
beforeAll(async () => {
  [scene, mcp] = await Promise.all([Scene.start(), McpServer.start()]);
});
afterAll(() => Promise.all([scene.stop(), mcp.stop()]));

test('SECRETS_KEY is changed: keys of providers and headers of tools and MCP servers stay what they are, and are sealed anew', async () => {
  const shop = await scene.shop();
  const { tenantId } = shop;
  const headers = { 'X-Token': 'a-secret-of-the-shop' };
  const tool = {
    tenantId,
    actor: 'key:test',
    description: 'A tool.',
    url: 'https://1.1.1.1/',
    timeoutMs: 500,
    needsApproval: false,
  };
  const schema = { parameters: { type: 'object' }, readOnly: true };
  for (const name of ['look_up', 'refund'])
    await scene.service.rpc.request(SetTool, { ...tool, ...schema, name, headers });
  const server = { tenantId, actor: 'key:test', name: 'shop', url: mcp.url, timeoutMs: 2_000 };
  await scene.service.rpc.request(SetToolServer, { ...server, allow: [], readOnly: [], headers });

  const next = secretKey(randomBytes(32).toString('base64'));
  const dataSource = scene.service.get(DataSource);
  const changes = scene.service.get(AuditedChanges);
  const { secretsKey } = scene.service.get(AssistantConfig);
  const ofBoth = new SecretBox(next, secretsKey);
  const tables = [
    new ProviderRepository(dataSource, ofBoth, changes),
    new ToolRepository(dataSource, ofBoth, changes),
    new ToolServerRepository(dataSource, ofBoth, changes),
  ];
  new SealedTables(
    dataSource,
    scene.service.get(PeriodicTasks),
    tables.map(({ table }) => table),
  );
  const sealed = (): Promise<{ sealed: string }[]> =>
    scene.service.database.query(
      `SELECT encode(key_enc, 'hex') AS sealed FROM assistant.provider
       UNION ALL SELECT encode(headers_enc, 'hex') FROM assistant.tool
       UNION ALL SELECT encode(headers_enc, 'hex') FROM assistant.tool_server`,
    );
  const header = headerOf(next).toString('hex');
  await waitFor('all to be sealed with the new key', async () => {
    const rows = await sealed();
    return rows.length === 4 && rows.every((row) => row.sealed.startsWith(header));
  });

  const ofNext = new SecretBox(next);
  const tools = await new ToolRepository(dataSource, ofNext, changes).ofNames(tenantId, [
    'look_up',
    'refund',
  ]);
  expect(tools.map((one) => one.headers)).toEqual([headers, headers]);
  const servers = await new ToolServerRepository(dataSource, ofNext, changes).ofNames(tenantId, ['shop']);
  expect(servers.map((one) => one.headers)).toEqual([headers]);
  const providers = new ProviderRepository(dataSource, ofNext, changes);
  const row = await providers.find(tenantId);
  expect(row && providers.keyOf(tenantId, row)).toBe(shop.key);
});
