import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, createTenant, inventPhone, linkNumber } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { expectError, stackOfRun } from '../stage/stage.js';

let stack: Stack;
beforeAll(async () => void (stack = await stackOfRun()));

const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

const LONG = 60_000;

test('what was sent is in the usage of the month, by day and by session, and costs nothing yet', async () => {
  const actor = await Actor.create(stack);
  for (const text of ['one', 'two']) await actor.send(inventPhone(), text);
  const { body } = await actor.api('GET', '/v1/usage');
  const used = { messages: 2, llmCalls: 0, tokens: 0 };
  expect(body).toMatchObject({
    ...{ messages: 2, llmCalls: 0, tokens: { used: 0, blocks: 0, cost: 0, currency: 'USD' } },
    days: [{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...used }],
    sessions: [{ sessionId: actor.sessionId, ...used }],
  });
});

test('a number that the platform restricts goes on with its chats and begins none, and its tier stays', async () => {
  const actor = await Actor.create(stack);
  const friend = inventPhone();
  await actor.send(friend, 'before');
  await waitFor('the text', async () => (await actor.inbox(friend)).length === 1, LONG);
  const path = `/accounts/${actor.phone}/restrictions`;
  const shows = (reason: string | null) =>
    waitFor(`restriction ${reason}`, async () => {
      const { body } = await actor.api<{ restriction?: { reason: string } }>(
        'GET',
        `/v1/sessions/${actor.sessionId}`,
      );
      return (body.restriction?.reason ?? null) === reason;
    });

  await stack.platform('PUT', path, { timelock: { until: '2100-01-01T00:00:00.000Z' } });
  await shows('ACCOUNT_RESTRICTED');
  const refused = await actor.send(inventPhone(), 'cold');
  expectError(refused, 429, 'RATE_LIMITED');
  expect(refused.body['meta']).toMatchObject({ layer: 'platform', reason: 'ACCOUNT_RESTRICTED' });
  expect((await actor.send(friend, 'again')).status).toBe(200);
  const { body } = await actor.api('GET', `/v1/sessions/${actor.sessionId}/limits`);
  expect(body).toMatchObject({ tier: 0, session: { used: 2 } });

  await stack.platform('DELETE', path);
  await shows(null);
  expect((await actor.send(inventPhone(), 'warm again')).status).toBe(200);
});

test('without a payment provider the operator keeps plans, and nobody is sent to pay', async () => {
  const { apiKey } = await createTenant(stack);
  expect((await stack.api(apiKey, 'GET', '/v1/subscription')).body).toMatchObject({ keeper: 'operator' });
  for (const [page, body] of [['checkout', { plan: 'GROWTH' }], ['portal']] as const) {
    expectError(
      await stack.api(apiKey, 'POST', `/v1/subscription/${page}`, body),
      409,
      'SUBSCRIPTION_CONFLICT',
    );
  }
});

describe('a clientMessageId', () => {
  test('used 20 times at once gives one job, and one text at the contact', async () => {
    const actor = await Actor.create(stack);
    const [contact, id] = [inventPhone(), randomUUID()];
    const answers = await times(20, () => actor.send(contact, 'once', id));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body['jobId'])).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);

    // A session sends in order: once a later text is there, a second one of these would be, too.
    await actor.send(contact, 'after');
    const inbox = await waitFor(
      'the later text',
      async () => {
        const items = await actor.inbox(contact);
        return items.at(-1)?.text === 'after' && items;
      },
      LONG,
    );
    expect(inbox.map(({ text, duplicates }) => [text, duplicates])).toEqual([
      ['once', 0],
      ['after', 0],
    ]);
    const { body } = await actor.api<{ items: object[] }>('GET', '/v1/messages');
    expect(body.items).toHaveLength(2);
  });

  test('keeps its job when the session is down and the limit is used up', async () => {
    const actor = await Actor.create(stack);
    const contact = inventPhone();
    const first = await actor.send(contact, 'first', 'kept');
    await times(9, (n) => actor.send(contact, `${n}`));
    expectError(await actor.send(contact, 'one too many'), 429, 'RATE_LIMITED');
    expect((await actor.send(contact, 'first', 'kept')).body).toEqual({ ...first.body, repeated: true });

    await actor.api('POST', `/v1/sessions/${actor.sessionId}/disconnect`);
    await waitFor(
      'the session to be down',
      async () => {
        const { body } = await actor.api('GET', `/v1/sessions/${actor.sessionId}`);
        return body['status'] === 'DISCONNECTED';
      },
      LONG,
    );
    expectError(await actor.send(contact, 'offline'), 400, 'SESSION_NOT_CONNECTED');
    expect((await actor.send(contact, 'first', 'kept')).body).toEqual({ ...first.body, repeated: true });
  });

  test('means different jobs to different tenants', async () => {
    const actors = [await Actor.create(stack), await Actor.create(stack)];
    const jobs = await Promise.all(actors.map((actor) => actor.send(inventPhone(), 'x', 'same')));
    expect(new Set(jobs.map(({ body }) => body['jobId'])).size).toBe(2);
  });
});

describe('a session of tier 0', () => {
  test('lets exactly 10 of 50 concurrent sends through and says when the others may come', async () => {
    const actor = await Actor.create(stack);
    const contact = inventPhone();
    const answers = await times(50, async (n) => {
      const begun = Date.now();
      const answer = await actor.send(contact, `text ${n}`);
      return { ...answer, begun, ended: Date.now() };
    });
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(refused).toHaveLength(40);
    for (const answer of refused) {
      expectError(answer, 429, 'RATE_LIMITED');
      expect(answer.body['meta']).toMatchObject({ layer: 'session', limit: 10, used: 10 });
      expect(answer.body['message']).toMatch(
        /allows 10 a day\. It rises by itself .* is raised by hand: POST /,
      );
      const { resetAt } = answer.body['meta'] as { resetAt: string };
      expect(resetAt).toMatch(/T00:00:00(\.000)?Z$/);
      // The wait lasts from a moment between question and answer until that time.
      const wait = Number(answer.headers.get('retry-after'));
      expect(wait).toBeLessThanOrEqual(Math.ceil((Date.parse(resetAt) - answer.begun) / 1_000));
      expect(wait).toBeGreaterThanOrEqual(Math.floor((Date.parse(resetAt) - answer.ended) / 1_000));
    }
    await waitFor('the ten texts', async () => (await actor.inbox(contact)).length >= 10, LONG);
    const sent = new Set((await actor.inbox(contact)).map(({ text }) => text));
    expect(sent).toEqual(new Set(answers.flatMap(({ status }, n) => (status === 200 ? [`text ${n}`] : []))));
  });
});

describe('a subscription that is not active', () => {
  test('stops sending and linking with 402, nothing else, and starts again', async () => {
    const actor = await Actor.create(stack);
    const contact = inventPhone();
    const paths = `/v1/sessions/${actor.sessionId}`;
    await stack.operator('subscriptions', 'set', actor.tenant.tenantId, 'CANCELED');
    const refused: (() => Promise<Answer>)[] = [
      () => actor.send(contact, 'unpaid'),
      () => actor.send('123', ''), // 402 comes before the body is read
      () => actor.api('POST', '/v1/sessions', { name: 'unpaid' }),
      () => actor.api('POST', `${paths}/connect`),
    ];
    for (const attempt of refused) expectError(await attempt(), 402, 'PAYMENT_REQUIRED');
    for (const path of ['/v1/messages', '/v1/sessions', paths, '/v1/webhooks', '/v1/api-keys']) {
      expect((await actor.api('GET', path)).status).toBe(200);
    }
    await stack.operator('subscriptions', 'set', actor.tenant.tenantId, 'ACTIVE');
    await waitFor(
      'sending to work again',
      async () => (await actor.send(contact, 'paid')).status === 200,
      LONG,
    );
    const inbox = await waitFor(
      'the text',
      async () => {
        const items = await actor.inbox(contact);
        return items.length > 0 && items;
      },
      LONG,
    );
    expect(inbox.map(({ text }) => text)).not.toContain('unpaid');
  });
});

describe('an API key that was replaced', () => {
  test('works for 24 hours beside the new one, and not a minute longer', async () => {
    const tenant = await createTenant(stack);
    const use = async (key: string): Promise<number> => (await stack.api(key, 'GET', '/v1/sessions')).status;
    const created = await stack.api<{ kid: string; secret: string }>(
      tenant.apiKey,
      'POST',
      '/v1/api-keys',
      {},
    );
    expect(created.status).toBe(201);
    const { secret } = created.body;
    expect([await use(tenant.apiKey), await use(secret)]).toEqual([200, 200]);
    const age = (hours: number) => stack.operator('keys', 'age', tenant.kid, '--hours', String(hours));
    await age(23.9);
    expect([await use(tenant.apiKey), await use(secret)]).toEqual([200, 200]);
    await age(0.2);
    await waitFor('the old key to end', async () => (await use(tenant.apiKey)) === 401, LONG);
    expectError(await stack.api(tenant.apiKey, 'GET', '/v1/sessions'), 401, 'UNAUTHENTICATED');
    expect(await use(secret)).toBe(200);
    expect(await linkNumber(stack, secret, inventPhone())).toMatch(/^[0-9a-f-]{36}$/);
  });
});
