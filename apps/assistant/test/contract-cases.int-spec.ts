import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type DraftRef, ListDrafts } from '@svc/contracts';
import {
  assistantCases,
  assistantConversationCases,
  assistantDraftCases,
  assistantKnowledgeCases,
  assistantToolCases,
  assistantToolServerCases,
  wholeTenantInAssistantCases,
} from '@svc/testing';
import { KnowledgeService } from '../src/knowledge/knowledge.service.js';
import { McpServer } from './mcp-server.js';
import { aContact, Scene } from './scene.js';

let scene: Scene;
let mcp: McpServer;

beforeAll(async () => {
  [scene, mcp] = await Promise.all([Scene.start(), McpServer.start()]);
});
afterAll(() => Promise.all([scene.stop(), mcp.stop()]));

async function drafted(): Promise<DraftRef> {
  const shop = await scene.shop({ mode: 'draft' });
  const { tenantId } = shop;
  const chat = aContact();
  await shop.write(chat, 'When do you open?');
  await shop.ended(chat);
  const { drafts } = await scene.service.rpc.request(ListDrafts, { tenantId, limit: 1 });
  return { tenantId, draftId: String(drafts[0]?.id) };
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
  test.each(assistantToolServerCases)('$name', ({ run }) => run({ ...scene.service, mcpUrl: mcp.url }));
  test.each(assistantKnowledgeCases)('$name', ({ run }) =>
    run({
      rpc: scene.service.rpc,
      missed: (ref, question) =>
        scene.service.get(KnowledgeService).noteGap({ ...ref, id: randomUUID(), chat: 'a@b' }, question),
    }),
  );
});
