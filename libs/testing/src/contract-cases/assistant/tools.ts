import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AssistantSettings, DeleteTool, ListTools, SetAssistantSettings, SetTool } from '@svc/contracts';
import { assertFieldRefused, assertFields, type ContractCase, plain } from '../contract-case.js';

const actor = 'key:abcdefghijkl';
const TOOL = {
  ...{ name: 'look_up_order', description: 'Looks up an order.', readOnly: true, timeoutMs: 5_000 },
  needsApproval: false,
  // An address that names no host by a name: nobody is asked for it.
  ...{ url: 'https://1.1.1.1/order', parameters: { type: 'object', properties: {} } },
};

const TOOLS: ContractCase[] = [
  {
    name: 'a tool is shown with the names of its headers, which stay where none are given, until it is deleted',
    run: async ({ rpc }) => {
      const tenantId = randomUUID();
      assert.deepEqual(plain(await rpc.request(ListTools, { tenantId })), { tools: [] });
      await rpc.request(SetTool, { ...TOOL, tenantId, actor, headers: { 'X-Token': 'a-token' } });
      const { tool } = await rpc.request(SetTool, { ...TOOL, tenantId, actor });
      assert.deepEqual(plain(tool), { ...TOOL, headerNames: ['X-Token'], revision: 2 });
      await rpc.request(SetTool, { ...TOOL, tenantId, actor, name: 'book' });
      const { tools } = await rpc.request(ListTools, { tenantId });
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['book', 'look_up_order'],
      );
      for (const { name } of tools) await rpc.request(DeleteTool, { tenantId, name, actor });
      assert.deepEqual(plain(await rpc.request(ListTools, { tenantId })), { tools: [] });
    },
  },
  {
    name: 'a tool at an address that may not be connected to, without a schema, or whose headers would go elsewhere is refused',
    run: async (world) => {
      const request = { ...TOOL, tenantId: randomUUID(), actor };
      await assertFieldRefused(world, SetTool, { ...request, url: 'ftp://example.com' }, 'url');
      await assertFieldRefused(world, SetTool, { ...request, parameters: { type: 'string' } }, 'parameters');
      await world.rpc.request(SetTool, { ...request, headers: { 'X-Token': 'a-token' } });
      await assertFieldRefused(world, SetTool, { ...request, url: 'https://1.1.1.1/other' }, 'headers');
    },
  },
  {
    name: 'a tool that needs approval says so, and does not change nothing',
    run: async (world) => {
      const request = { ...TOOL, tenantId: randomUUID(), actor, needsApproval: true };
      await assertFieldRefused(world, SetTool, request, 'needsApproval');
      const { tool } = await world.rpc.request(SetTool, { ...request, readOnly: false });
      assertFields(tool, { readOnly: false, needsApproval: true });
    },
  },
  {
    name: 'settings name tools that the tenant has',
    run: async (world) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const request = { ...ref, settings: { tools: [TOOL.name] } as AssistantSettings };
      await assertFieldRefused(world, SetAssistantSettings, request, 'settings.tools[0]');
      await world.rpc.request(SetTool, { ...TOOL, tenantId: ref.tenantId, actor });
      assertFields(await world.rpc.request(SetAssistantSettings, request), { revision: 1 });
    },
  },
];

/** Cases of `assistant`: the tools that models may call. */
export const assistantToolCases: ContractCase[] = [...TOOLS];
