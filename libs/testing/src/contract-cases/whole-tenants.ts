import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type DeletedTenantRows,
  DeleteTenantAssistants,
  DeleteTenantLimits,
  type DeleteTenantRowsV1,
  DeleteTenantSessions,
  DeleteTenantUsage,
  DeleteTenantWebhooks,
  type EraseContactV1,
  EraseInAssistant,
  EraseInLimits,
  EraseInSessions,
  EraseInWebhooks,
  ExportContactTurns,
  ReadContactEvents,
  type RequestContract,
  SetEndpointSuspension,
  SetSessionSuspension,
  type SetSuspensionV1,
} from '@svc/contracts';
import { type ContractCase, type ContractWorld, plain } from './contract-case.js';

/** A service that is not done after so many requests goes round in a circle. */
const MOST_REQUESTS = 20;

const anErasure = (): EraseContactV1 => ({
  ...{ erasureId: randomUUID(), tenantId: randomUUID(), contact: '15550200777@s.whatsapp.net' },
  before: '2026-01-31T12:00:00.000Z',
});

/** Asks until the service says that it is done; resolves with that last reply. */
async function untilDone<Q extends object, A extends { done: boolean }>(
  { rpc }: ContractWorld,
  contract: RequestContract<Q, A>,
  request: NoInfer<Q>,
): Promise<A> {
  for (let requests = 0; requests < MOST_REQUESTS; requests += 1) {
    const reply = await rpc.request(contract, request);
    if (reply.done) return reply;
  }
  return assert.fail(`${contract.subject} is never done`);
}

const deletionOf = (contract: RequestContract<DeleteTenantRowsV1, DeletedTenantRows>): ContractCase => ({
  name: 'a tenant is deleted piece by piece until nothing is left, and then there is nothing to delete',
  run: async (world) => {
    const request = { tenantId: randomUUID(), sessionIds: [randomUUID()] };
    await untilDone(world, contract, request);
    assert.deepEqual(plain(await world.rpc.request(contract, request)), { deleted: {}, done: true });
  },
});

const suspensionOf = (contract: RequestContract<SetSuspensionV1, object>): ContractCase => ({
  name: 'a tenant is suspended and resumed, also one that the service has not heard of, and again',
  run: async ({ rpc }) => {
    const tenantId = randomUUID();
    for (const suspended of [true, true, false, false])
      assert.deepEqual(plain(await rpc.request(contract, { tenantId, suspended })), {});
  },
});

const IN_WEBHOOKS: readonly ContractCase[] = [
  deletionOf(DeleteTenantWebhooks),
  suspensionOf(SetEndpointSuspension),
  {
    name: 'an erasure that is asked for again has the same counts, in all',
    run: async (world) => {
      const request = anErasure();
      const first = await untilDone(world, EraseInWebhooks, request);
      assert.deepEqual(plain(await untilDone(world, EraseInWebhooks, request)), plain(first));
    },
  },
  {
    name: 'of a contact that no event names there is nothing to read',
    run: async ({ rpc }) => {
      const { tenantId, contact } = anErasure();
      const reply = await rpc.request(ReadContactEvents, { tenantId, contact });
      assert.deepEqual({ ...plain(reply), next: reply.next ?? null }, { events: [], next: null });
    },
  },
];

const IN_SESSIONS: readonly ContractCase[] = [
  deletionOf(DeleteTenantSessions),
  suspensionOf(SetSessionSuspension),
  {
    name: 'an erasure that is asked for again has the same counts, in all',
    run: async ({ rpc }) => {
      const request = anErasure();
      const first = await rpc.request(EraseInSessions, request);
      assert.deepEqual(plain(await rpc.request(EraseInSessions, request)), plain(first));
    },
  },
];

const IN_LIMITS: readonly ContractCase[] = [
  deletionOf(DeleteTenantLimits),
  {
    name: 'hashes of a contact that were erased are not there to be erased again',
    run: async ({ rpc }) => {
      const request = anErasure();
      await rpc.request(EraseInLimits, request);
      assert.deepEqual(plain(await rpc.request(EraseInLimits, request)), { contacts: 0 });
    },
  },
];

const IN_ASSISTANT: readonly ContractCase[] = [
  deletionOf(DeleteTenantAssistants),
  {
    name: 'an erasure that is asked for again has the same counts, in all',
    run: async ({ rpc }) => {
      const request = anErasure();
      const first = await rpc.request(EraseInAssistant, request);
      assert.deepEqual(plain(await rpc.request(EraseInAssistant, request)), plain(first));
    },
  },
  {
    name: 'of a contact that the assistant never met there is nothing to read',
    run: async ({ rpc }) => {
      const { tenantId, contact } = anErasure();
      const { turns, next = null } = await rpc.request(ExportContactTurns, { tenantId, contact });
      assert.deepEqual({ turns, next }, { turns: [], next: null });
    },
  },
];

const IN_BILLING: readonly ContractCase[] = [deletionOf(DeleteTenantUsage)];

/** Contract cases of `webhook-dispatcher` about a tenant, or a contact, as a whole. */
export const wholeTenantInWebhooksCases: readonly ContractCase[] = [...IN_WEBHOOKS];

/** Contract cases of `session-worker` about a tenant, or a contact, as a whole. */
export const wholeTenantInSessionsCases: readonly ContractCase[] = [...IN_SESSIONS];

/** Contract cases of `limits` about a tenant, or a contact, as a whole. */
export const wholeTenantInLimitsCases: readonly ContractCase[] = [...IN_LIMITS];

/** Contract cases of `billing` about a tenant as a whole. */
export const wholeTenantInBillingCases: readonly ContractCase[] = [...IN_BILLING];

/** Contract cases of `assistant` about a tenant, or a contact, as a whole. */
export const wholeTenantInAssistantCases: readonly ContractCase[] = [...IN_ASSISTANT];
