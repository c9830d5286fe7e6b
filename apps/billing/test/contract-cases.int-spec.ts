import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { OpenCheckout } from '@svc/contracts';
import { paymentCases, type PaymentWorld, subscriptionCases, wholeTenantInBillingCases } from '@svc/testing';
import { allEventsProcessed, use } from './calls.js';
import { type PaidBilling, reaches, startPaidBilling } from './provider.js';

let paid: PaidBilling;
let world: PaymentWorld;

beforeAll(async () => {
  paid = await startPaidBilling();
  const { billing, stripe } = paid;
  world = {
    rpc: billing.rpc,
    pay: async (tenantId, plan) => {
      stripe.pay((await billing.rpc.request(OpenCheckout, { tenantId, plan })).url);
      await stripe.flush();
      await reaches(billing, tenantId, { plan, keeper: 'stripe' });
    },
    signatureOf: (payload) => stripe.signature(payload),
    useTokens: async (tenantId, tokens) => {
      await use(billing, tenantId, tokens);
      await allEventsProcessed(billing);
    },
  };
});
afterAll(() => paid.stop());

// The gateway's tests run the same cases against the fake that stands for this service.
describe('the service keeps the contract', () => {
  test.each([...subscriptionCases, ...wholeTenantInBillingCases])('$name', ({ run }) => run(world));
});

describe('of payments and usage', () => {
  test.each(paymentCases)('$name', ({ run }) => run(world));
});
