import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, createTenant, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { expectError, stackOfRun } from '../stage/stage.js';

let stack: Stack;
beforeAll(async () => void (stack = await stackOfRun()));

/** A change of the operator is seen by every replica so soon. */
const SOON_MS = 1_000;

const entitle = (tenantId: string, assignment: string): Promise<object> =>
  stack.operator('entitlements', 'set', tenantId, assignment, '--reason', 'Contract of May');

interface AuditLine {
  action: string;
  actor: string;
  reason: string | null;
  details: { entitlement?: object };
}

test('an override of messages lets the next send through within a second, and its end refuses it again', async () => {
  const actor = await Actor.create(stack, '--plan', 'STARTER');
  const { tenantId } = actor.tenant;
  const limit = async () => (await actor.api<{ messages: object }>('GET', '/v1/limits')).body.messages;
  const sends = (status: number) =>
    waitFor(`a ${status}`, async () => (await actor.send(inventPhone(), 'x')).status === status, SOON_MS);

  expect(await limit()).toMatchObject({ limit: 1_000, used: 0 });
  await entitle(tenantId, 'messages=1');
  await sends(200);
  const refused = await actor.send(inventPhone(), 'one too many');
  expectError(refused, 429, 'RATE_LIMITED');
  expect(refused.body['meta']).toMatchObject({ layer: 'plan', limit: 1, used: 1 });
  await entitle(tenantId, 'messages=3');
  await sends(200);
  expect(await limit()).toEqual({ limit: 3, used: 2, left: 1 });
  await entitle(tenantId, 'messages=2');
  await sends(429);
  expect(await stack.operator('entitlements', 'clear', tenantId, 'messages')).toMatchObject({
    ...{ plan: 'STARTER', entitlements: { messages: 1_000 }, overrides: [] },
  });
  await sends(200);

  const changes = await waitFor('the lines of the audit log', async () => {
    const { body } = await actor.api<{ items: AuditLine[] }>('GET', '/v1/audit-log');
    const lines = body.items.filter(({ action }) => action === 'subscription.changed');
    return lines.length === 4 ? lines : undefined;
  });
  const why = { actor: 'operator', reason: 'Contract of May' };
  expect(changes).toMatchObject([
    { actor: 'operator', reason: null, details: { entitlement: { previous: 2, value: 1_000 } } },
    { ...why, details: { entitlement: { key: 'messages', previous: 3, value: 2 } } },
    { ...why, details: { entitlement: { key: 'messages', previous: 1, value: 3 } } },
    { ...why, details: { entitlement: { key: 'messages', previous: 1_000, value: 1 } } },
  ]);
});

test('an override of sessions makes room for one more, and a lower one makes the youngest read-only', async () => {
  const tenant = await createTenant(stack, '--plan', 'STARTER');
  const oldest = await Actor.link(stack, tenant);
  const another = () => oldest.api('POST', '/v1/sessions', { name: 'Another' });
  expectError(await another(), 429, 'RATE_LIMITED');
  await entitle(tenant.tenantId, 'sessions=2');
  const youngest = await Actor.link(stack, tenant);
  expect((await youngest.send(inventPhone(), 'x')).status).toBe(200);
  expectError(await another(), 429, 'RATE_LIMITED');

  await entitle(tenant.tenantId, 'sessions=1');
  const refused = await waitFor(
    'the refusal',
    async () => {
      const answer = await youngest.send(inventPhone(), 'x');
      return answer.status === 429 ? answer : undefined;
    },
    SOON_MS,
  );
  expect(refused.body['meta']).toMatchObject({ layer: 'plan', resource: 'sessions', limit: 1, used: 2 });
  expect((await oldest.send(inventPhone(), 'x')).status).toBe(200);
  const shown = await oldest.api('GET', `/v1/sessions/${youngest.sessionId}/limits`);
  expect(shown.body).toMatchObject({ readOnly: true, left: 0 });
});

test('a session beyond the plan is refused until midnight, and told that waiting does not help, and what does', async () => {
  const { apiKey } = await createTenant(stack, '--plan', 'STARTER');
  const create = () => stack.api(apiKey, 'POST', '/v1/sessions', { name: 'Support line' });
  const { body: first } = await create();
  const refused = await create();
  expectError(refused, 429, 'RATE_LIMITED');
  const meta = { layer: 'plan', resource: 'sessions', limit: 1, used: 1 };
  const message =
    'The sessions of the plan are used up: it has room for 1. Waiting does not help, whatever Retry-After says: delete a session, or take a larger plan.';
  expect(refused.body).toMatchObject({ message, meta });
  const { resetAt } = refused.body['meta'] as { resetAt: string };
  expect(resetAt).toMatch(/T00:00:00(\.000)?Z$/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await stack.api(apiKey, 'DELETE', `/v1/sessions/${String(first['id'])}`)).status).toBe(204);
  expect((await create()).status).toBe(201);
});
