import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApproveToolCall, type DecideToolCallV1, ListToolCalls, RefuseToolCall } from '@svc/contracts';
import { assertRefused, type ContractCase, type ContractWorld, plain } from '../contract-case.js';

/** The world of these cases: a model wants to call a tool in it that needs approval, each time of a new tenant. */
export interface ToolCallWorld extends ContractWorld {
  wanted(): Promise<DecideToolCallV1>;
}

const CONFLICT = 'TOOL_CALL_CONFLICT';

async function idsOf({ rpc }: ContractWorld, tenantId: string): Promise<string[]> {
  return (await rpc.request(ListToolCalls, { tenantId, limit: 10 })).calls.map(({ id }) => id);
}

const TOOL_CALLS: ContractCase<ToolCallWorld>[] = [
  {
    name: 'a call is listed until it is approved, and a repeat says the same',
    run: async (world) => {
      const ref = await world.wanted();
      assert.deepEqual(await idsOf(world, ref.tenantId), [ref.callId]);
      for (let count = 0; count < 2; count += 1)
        assert.deepEqual(plain(await world.rpc.request(ApproveToolCall, ref)), {
          ...{ id: ref.callId, state: 'CALLED', outcome: 'DONE' },
        });
      await assertRefused(world, RefuseToolCall, ref, CONFLICT);
      assert.deepEqual(await idsOf(world, ref.tenantId), []);
    },
  },
  {
    name: 'a call that is refused is not approved',
    run: async (world) => {
      const ref = await world.wanted();
      for (let count = 0; count < 2; count += 1)
        assert.deepEqual(plain(await world.rpc.request(RefuseToolCall, ref)), {});
      await assertRefused(world, ApproveToolCall, ref, CONFLICT);
      assert.deepEqual(await idsOf(world, ref.tenantId), []);
    },
  },
  {
    name: 'a call that is not there, or of another tenant, is neither approved nor refused',
    run: async (world) => {
      const { callId, actor } = await world.wanted();
      const tenantId = randomUUID();
      for (const contract of [ApproveToolCall, RefuseToolCall]) {
        await assertRefused(world, contract, { tenantId, callId, actor }, 'FORBIDDEN');
        const unknown = { tenantId, callId: randomUUID(), actor };
        await assertRefused(world, contract, unknown, 'TOOL_CALL_NOT_FOUND');
      }
    },
  },
];

/** Cases of `assistant`: calls of tools on which a person decides. */
export const assistantToolCallCases: ContractCase<ToolCallWorld>[] = [...TOOL_CALLS];
