import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type DecideToolCallV1, type DraftRef, ListDrafts, ListToolCalls, SetTool } from '@svc/contracts';
import {
  assistantCases,
  assistantConversationCases,
  assistantDraftCases,
  assistantKnowledgeCases,
  assistantToolCallCases,
  assistantToolCases,
  assistantToolServerCases,
  wholeTenantInAssistantCases,
} from '@svc/testing';
import { KnowledgeService } from '../src/knowledge/knowledge.service.js';
import { McpServer } from './mcp-server.js';
import { aContact, Scene } from './scene.js';
import { ToolServer } from './tool-server.js';

let scene: Scene;
let server: ToolServer;
let mcp: McpServer;

beforeAll(async () => {
  [scene, server, mcp] = await Promise.all([Scene.start(), ToolServer.start(), McpServer.start()]);
});
afterAll(async () => {
  await Promise.all([scene.stop(), server.stop(), mcp.stop()]);
});

async function drafted(): Promise<DraftRef> {
  const shop = await scene.shop({ mode: 'draft' });
  const { tenantId } = shop;
  const chat = aContact();
  await shop.write(chat, 'When do you open?');
  await shop.ended(chat);
  const { drafts } = await scene.service.rpc.request(ListDrafts, { tenantId, limit: 1 });
  return { tenantId, draftId: String(drafts[0]?.id) };
}

async function wanted(): Promise<DecideToolCallV1> {
  const shop = await scene.shop();
  const { tenantId } = shop;
  const name = 'refund_order';
  const tool = {
    ...{ tenantId, name, actor: 'key:test', description: 'Refunds an order.', url: server.url },
  };
  const parameters = { type: 'object', properties: {} };
  const how = { parameters, readOnly: false, needsApproval: true, timeoutMs: 2_000 };
  await scene.service.rpc.request(SetTool, { ...tool, ...how });
  await shop.settings({ tools: [name] });
  await scene.model.rules(shop.key, [
    { times: 1, toolCalls: [{ name, arguments: '{}' }] },
    { text: 'Soon.' },
  ]);
  const chat = aContact();
  await shop.write(chat, 'Refund me.');
  await shop.ended(chat);
  const { calls } = await scene.service.rpc.request(ListToolCalls, { tenantId, limit: 1 });
  return { tenantId, callId: String(calls[0]?.id), actor: 'key:test' };
}

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([
    ...assistantCases,
    ...assistantConversationCases,
    ...assistantToolCases,
    ...wholeTenantInAssistantCases,
  ])('$name', ({ run }) => run(scene.service));
  test.each(assistantDraftCases)('$name', ({ run }) => run({ ...scene.service, drafted }));
  test.each(assistantToolCallCases)('$name', ({ run }) => run({ ...scene.service, wanted }));
  test.each(assistantToolServerCases)('$name', ({ run }) => run({ ...scene.service, mcpUrl: mcp.url }));
  test.each(assistantKnowledgeCases)('$name', ({ run }) =>
    run({
      rpc: scene.service.rpc,
      missed: (ref, question) =>
        scene.service.get(KnowledgeService).noteGap({ ...ref, id: randomUUID(), chat: 'a@b' }, question),
    }),
  );
});
