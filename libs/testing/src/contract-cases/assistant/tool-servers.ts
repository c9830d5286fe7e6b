import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type AssistantSettings,
  DeleteToolServer,
  GetToolServer,
  ListToolServers,
  RefreshToolServer,
  SetAssistantSettings,
  SetToolServer,
  type SetToolServerV1,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from '../contract-case.js';

/** A world in which an MCP server is at an address; it offers `find_order`. */
export interface ToolServerWorld extends ContractWorld {
  mcpUrl: string;
}

const actor = 'key:abcdefghijkl';
const SERVER = {
  ...{ name: 'shop', allow: ['find_order', 'fly'], readOnly: ['find_order'], timeoutMs: 5_000 },
};

const SERVERS: ContractCase<ToolServerWorld>[] = [
  {
    name: 'an MCP server is shown with what it offers and the names of its headers, which stay where none are given, until it is deleted',
    run: async (world) => {
      const { rpc, mcpUrl: url } = world;
      const ref = { tenantId: randomUUID(), name: 'shop' };
      const request = { ...SERVER, ...ref, url, actor };
      await rpc.request(SetToolServer, { ...request, headers: { 'X-Token': 'a-token' } });
      await rpc.request(SetToolServer, request);
      const { server } = await rpc.request(RefreshToolServer, { ...ref, actor });
      assertFields(server, { ...SERVER, url, headerNames: ['X-Token'], revision: 3 });
      assert.deepEqual(
        server.tools.slice(0, 2).map(({ name, usable, tool }) => ({ name, usable, tool })),
        [
          { name: 'find_order', usable: true, tool: 'shop__find_order' },
          { name: 'fly', usable: false, tool: null },
        ],
      );
      assert.deepEqual(plain((await rpc.request(GetToolServer, ref)).server), plain(server));
      const { tools: _, ...listed } = plain(server);
      const { servers } = await rpc.request(ListToolServers, { tenantId: ref.tenantId });
      assert.deepEqual(plain(servers), [listed]);
      await rpc.request(DeleteToolServer, { ...ref, actor });
      await assertRefused(world, GetToolServer, ref, 'TOOL_SERVER_NOT_FOUND');
      await assertRefused(world, RefreshToolServer, { ...ref, actor }, 'TOOL_SERVER_NOT_FOUND');
    },
  },
  {
    name: 'an MCP server with what does not fit, or whose headers would go elsewhere, is refused',
    run: async (world) => {
      const { mcpUrl: url, rpc } = world;
      const request: SetToolServerV1 = { ...SERVER, tenantId: randomUUID(), url, actor };
      const refused = (change: Partial<SetToolServerV1>, field: string): Promise<void> =>
        assertFieldRefused(world, SetToolServer, { ...request, ...change }, field);
      await refused({ url: 'ftp://example.com' }, 'url');
      await refused({ allow: ['find_order', 'x'.repeat(59)] }, 'allow[1]');
      await refused({ readOnly: ['refund'] }, 'readOnly[0]');
      await rpc.request(SetToolServer, { ...request, headers: { 'X-Token': 'a-token' } });
      await refused({ url: `${url}/other` }, 'headers');
    },
  },
  {
    name: 'settings name tools of MCP servers that are usable',
    run: async (world) => {
      const { rpc, mcpUrl: url } = world;
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const naming = (tool: string) => ({ ...ref, settings: { tools: [tool] } as AssistantSettings });
      await rpc.request(SetToolServer, { ...SERVER, tenantId: ref.tenantId, url, actor });
      await assertFieldRefused(world, SetAssistantSettings, naming('shop__fly'), 'settings.tools[0]');
      assertFields(await rpc.request(SetAssistantSettings, naming('shop__find_order')), { revision: 1 });
    },
  },
];

/** Cases of `assistant`: the MCP servers whose tools models may call. */
export const assistantToolServerCases: ContractCase<ToolServerWorld>[] = [...SERVERS];
