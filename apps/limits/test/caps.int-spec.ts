import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AppError,
  type Entitlements,
  GetLimits,
  GetSubscription,
  Reserve,
  TakeLlmCall,
  type TenantRef,
} from '@svc/contracts';
import { natsConnectionOf, startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { aSend } from './sends.js';

let limits: TestService;
/** Entitlements of tenants at `billing`; null: it is of an earlier release and says no numbers. */
const entitlements = new Map<string, Entitlements | null>();
let asked = 0;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
  const connection = natsConnectionOf(limits.messaging);
  connection.subscribe(GetSubscription.subject, {
    callback: (_error, message) => {
      asked += 1;
      const { id, data } = message.json<{ id: string; data: TenantRef }>();
      const numbers = entitlements.get(data.tenantId);
      const state = { ...data, plan: 'STARTER', status: 'ACTIVE', internal: false, active: true };
      const outcome =
        numbers === undefined
          ? { err: new AppError('TENANT_NOT_FOUND').toBody() }
          : { response: { ...state, ...(numbers && { entitlements: numbers }) } };
      message.respond(JSON.stringify({ id, isDisposed: true, ...outcome }));
    },
  });
  await connection.flush();
});
afterAll(() => limits.stop());

const NUMBERS: Entitlements = {
  ...{ sessions: 1, messages: 2, calls: 1, tokens: 5, overage: 'bill', storage: 5, pace: 5 },
};
/** Makes a send as a gateway of an earlier release asks for it: with the name of the plan. */
const olderSend = (tenantId: string) => {
  const { caps: _, ...send } = aSend({ tenantId, plan: 'STARTER' });
  return send;
};

describe('a question without caps, of a gateway of an earlier release,', () => {
  test('is held against the numbers that billing has for the tenant', async () => {
    const tenantId = randomUUID();
    entitlements.set(tenantId, NUMBERS);
    for (let n = 0; n < 2; n += 1) {
      expect(await limits.rpc.request(Reserve, olderSend(tenantId))).toMatchObject({ admitted: true });
    }
    expect(await limits.rpc.request(Reserve, olderSend(tenantId))).toMatchObject({
      admitted: false,
      refusal: { layer: 'plan', limit: 2, used: 2 },
    });
    const day = { tenantId, plan: 'STARTER' as const, internal: false };
    expect(await limits.rpc.request(TakeLlmCall, { ...day, callId: randomUUID() })).toEqual({
      admitted: true,
    });
    expect(await limits.rpc.request(GetLimits, { ...day, sessionIds: [] })).toMatchObject({
      messages: { limit: 2, used: 2, left: 0 },
      llmCalls: { limit: 1, used: 1, left: 0 },
    });
  });

  test('is an error that passes where billing is of an earlier release, too', async () => {
    const tenantId = randomUUID();
    entitlements.set(tenantId, null);
    await expect(limits.rpc.request(Reserve, olderSend(tenantId))).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
  });

  test('is an error where there is no subscription', async () => {
    await expect(limits.rpc.request(Reserve, olderSend(randomUUID()))).rejects.toMatchObject({
      code: 'TENANT_NOT_FOUND',
    });
  });
});

test('a question with caps asks nobody', async () => {
  asked = 0;
  expect(await limits.rpc.request(Reserve, aSend())).toMatchObject({ admitted: true });
  expect(asked).toBe(0);
});
