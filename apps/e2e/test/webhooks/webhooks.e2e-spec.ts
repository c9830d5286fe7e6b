import { beforeAll, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '@svc/sdk';
import { type DeliveryBody, type ReceivedWebhook, waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';
import { isStandard } from '../stage/standard-webhooks.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;
const isGenuine = ({ raw, headers }: ReceivedWebhook, secret: string, now = Date.now()): boolean =>
  verifyWebhook(raw, headers, secret, { now }).ok;
const bodyOf = ({ raw }: ReceivedWebhook): DeliveryBody => JSON.parse(raw.toString('utf8')) as DeliveryBody;

/** Lists the posts of one event that arrived on a path. */
const postsOf = (path: string, event: string): ReceivedWebhook[] =>
  receiver.get().received.filter((post) => post.path === path && bodyOf(post).event === event);

const postOf = (path: string, event: string): Promise<ReceivedWebhook> =>
  waitFor(`${event} on ${path}`, () => postsOf(path, event)[0], LONG);

/** Has the events of a session delivered to a path of its own; returns the secret. */
async function bind(actor: Actor, path: string, change: object = {}): Promise<string> {
  const { status, body } = await actor.api<{ webhookSecret: string }>(
    'PUT',
    `/v1/sessions/${actor.sessionId}/external-config`,
    { enabled: true, webhookUrl: receiver.get().origin + path, ...change },
  );
  expect(status).toBe(200);
  return body.webhookSecret;
}

/** Makes a tenant-wide endpoint on a path of its own; returns its id. */
async function subscribe(actor: Actor, path: string, events: string[]): Promise<string> {
  const body = { name: path, url: receiver.get().origin + path, events };
  return String((await actor.api('POST', '/v1/webhooks', body)).body['id']);
}

interface Attempts {
  items: { deliveryId: string; event: string; status: string; attempts: { status: number | null }[] }[];
}

interface EventLog {
  items: { event: string; payload: { keyId?: unknown } }[];
  nextCursor: string | null;
}

const deliveriesOf = async (
  actor: Actor,
  endpoint: string,
  list = 'deliveries',
): Promise<Attempts['items']> =>
  (await actor.api<Attempts>('GET', `/v1/webhooks/${endpoint}/${list}`)).body.items;

describe('the story', () => {
  test('a text out is told as sent, delivered and read; a text in is told with what it says', async () => {
    const actor = await Actor.create(stack);
    const contact = inventPhone();
    const secret = await bind(actor, '/story');
    const { body } = await actor.send(contact, 'Grüße 👋', 'story-1');
    await waitFor('the text', async () => (await actor.inbox(contact))[0]?.text === 'Grüße 👋', LONG);
    await postOf('/story', 'message.delivered');
    await stack.platform('POST', `/contacts/${contact}/read`, { from: actor.phone });
    await postOf('/story', 'message.read');
    for (const event of ['message.sent', 'message.delivered', 'message.read']) {
      await postOf('/story', event); // each delivery stands for itself: a later one may come first
      expect(postsOf('/story', event).map((post) => bodyOf(post).payload)).toEqual([
        expect.objectContaining({
          sessionId: actor.sessionId,
          jobId: body['jobId'],
          messageId: body['jobId'],
          keyId: (await actor.inbox(contact))[0]?.id,
          clientMessageId: 'story-1',
          to: `${contact}@s.whatsapp.net`,
        }),
      ]);
    }

    await stack.platform('POST', '/contacts', { phone: contact, name: 'Ann' });
    await actor.write(contact, 'Antwort');
    const post = await postOf('/story', 'message.received');
    expect(bodyOf(post).payload).toMatchObject({
      sessionId: actor.sessionId,
      remoteJid: `${contact}@s.whatsapp.net`,
      phone: `+${contact}`,
      body: { type: 'text', text: 'Antwort' },
      pushName: 'Ann',
    });
    const all = receiver.get().received.filter(({ path }) => path === '/story');
    expect(all.every((one) => isGenuine(one, secret))).toBe(true);
  });

  test('a signature covers the bytes, the time and the secret', async () => {
    const actor = await Actor.create(stack);
    const secret = await bind(actor, '/signature');
    await actor.write(inventPhone(), 'sign this');
    const post = await postOf('/signature', 'message.received');
    expect(isGenuine(post, secret)).toBe(true);
    expect(isGenuine(post, `${secret}x`)).toBe(false);
    expect(
      isGenuine({ ...post, raw: Buffer.from(post.raw.toString().replace('this', 'that')) }, secret),
    ).toBe(false);
    expect(isGenuine(post, secret, Date.now() + 301_000)).toBe(false);

    const { headers } = post;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhook/1',
      'x-svc-event': 'message.received',
      'x-svc-delivery-id': bodyOf(post).deliveryId,
    });
    expect(headers['x-svc-signature']).toMatch(/^t=\d{13},v1=[0-9a-f]{64}$/);
    for (const name of ['event', 'delivery-id', 'timestamp', 'signature']) {
      expect(headers[`x-webhook-${name}`]).toBe(headers[`x-svc-${name}`]);
    }

    const rotated = await bind(actor, '/signature', { rotateSecret: true });
    expect(rotated).not.toBe(secret);
    await actor.write(inventPhone(), 'sign again');
    const next = await waitFor('the next one', () => postsOf('/signature', 'message.received')[1], LONG);
    expect([isGenuine(next, rotated), isGenuine(next, secret)]).toEqual([true, false]);
  });
});

test('an endpoint hears what it asked for: one session, or the whole tenant filtered by event', async () => {
  const actor = await Actor.create(stack);
  const sibling = await Actor.link(stack, actor.tenant);
  await bind(actor, '/bound');
  await subscribe(actor, '/all', []);
  await subscribe(actor, '/sent', ['message.sent']);
  const contact = inventPhone();
  const jobs = [await actor.send(contact, 'one'), await sibling.send(contact, 'two')];
  await waitFor('both on the tenant-wide one', () => postsOf('/all', 'message.delivered').length >= 2, LONG);
  await waitFor('both as sent', () => postsOf('/sent', 'message.sent').length >= 2, LONG);
  await postOf('/bound', 'message.delivered');

  const eventsOf = (path: string): [string, unknown][] =>
    receiver
      .get()
      .bodies(path)
      .map(({ event, payload }) => [event, payload['jobId']]);
  const [mine, theirs] = jobs.map(({ body }) => body['jobId']);
  expect(new Set(eventsOf('/sent').map(([event]) => event))).toEqual(new Set(['message.sent']));
  expect(new Set(eventsOf('/sent').map(([, job]) => job))).toEqual(new Set([mine, theirs]));
  expect(eventsOf('/bound').every(([, job]) => job === mine)).toBe(true);
  expect(new Set(eventsOf('/all').map(([, job]) => job))).toEqual(new Set([mine, theirs]));
});

test('an endpoint is set up, tested, given a new secret, paused and reactivated through the API', async () => {
  const actor = await Actor.create(stack);
  const made = await actor.api<{ id: string; secret: string }>('POST', '/v1/webhooks', {
    ...{ name: 'CRM', url: `${receiver.get().origin}/life`, events: ['message.received'] },
    ...{ headers: { Authorization: 'Bearer of the CRM' }, standardWebhooks: true },
  });
  const path = `/v1/webhooks/${made.body.id}`;
  expect(made.body).toMatchObject({ headers: { Authorization: '***' } });

  expect(await actor.api('POST', `${path}/test`)).toMatchObject({
    status: 200,
    body: { status: 200, error: null },
  });
  const tested = await postOf('/life', 'webhook.test');
  expect(tested.headers['authorization']).toBe('Bearer of the CRM');
  expect([isGenuine(tested, made.body.secret), isStandard(tested, made.body.secret)]).toEqual([true, true]);

  const { secret } = (await actor.api<{ secret: string }>('POST', `${path}/rotate-secret`)).body;
  await actor.write(inventPhone(), 'under the new secret');
  const rotated = await postOf('/life', 'message.received');
  expect([isGenuine(rotated, secret), isGenuine(rotated, made.body.secret)]).toEqual([true, false]);
  expect([isStandard(rotated, secret), isStandard(rotated, made.body.secret)]).toEqual([true, true]);

  const paused = await actor.api('POST', `${path}/pause`, { reason: 'the CRM moves' });
  expect(paused.body).toMatchObject({
    status: 'PAUSED',
    pausedReason: 'REQUESTED',
    pausedNote: 'the CRM moves',
  });
  await actor.write(inventPhone(), 'while it moves');
  const health = async () => (await actor.api<{ held: { count: number } }>('GET', `${path}/health`)).body;
  await waitFor('it to be held', async () => (await health()).held.count === 1, LONG);
  expect(postsOf('/life', 'message.received')).toHaveLength(1);
  await actor.api('POST', `${path}/reactivate`, { reason: 'the CRM has moved' });
  const drained = await waitFor('what was held', () => postsOf('/life', 'message.received')[1], LONG);
  expect(bodyOf(drained).payload['body']).toEqual({ type: 'text', text: 'while it moves' });
});

describe('a receiver that fails', () => {
  test('gets the same delivery again, freshly signed over the same bytes, until it says 2xx', async () => {
    const actor = await Actor.create(stack);
    const secret = await bind(actor, '/fails-twice');
    const endpoint = await subscribe(actor, '/fails-too', ['message.received']);
    const answers: Record<string, number[]> = { '/fails-twice': [500, 503], '/fails-too': [500] };
    receiver.get().answerWith(({ path }) => answers[path]?.shift() ?? 200);

    await actor.write(inventPhone(), 'hear me');
    const posts = await waitFor(
      'three attempts',
      () => {
        const all = postsOf('/fails-twice', 'message.received');
        return all.length >= 3 && all;
      },
      LONG,
    );
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map((post) => post.raw.toString())).size).toBe(1);
    expect(new Set(posts.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(new Set(posts.map(({ headers }) => headers['x-svc-signature'])).size).toBe(3);
    expect(posts.every((post) => isGenuine(post, secret))).toBe(true);

    const delivery = await waitFor(
      'the attempts in the list',
      async () => (await deliveriesOf(actor, endpoint)).find(({ status }) => status === 'DELIVERED'),
      LONG,
    );
    expect(delivery.attempts.map(({ status }) => status)).toEqual([500, 200]);
    expect(await deliveriesOf(actor, endpoint, 'dead-letters')).toEqual([]);
  });

  test('five times has its delivery among the dead letters, and hears the next event', async () => {
    const actor = await Actor.create(stack);
    const endpoint = await subscribe(actor, '/dead', ['message.received']);
    receiver.get().answerWith(({ path }) => (path === '/dead' ? 500 : 200));
    await actor.write(inventPhone(), 'in vain');
    const dead = await waitFor(
      'the dead letter',
      async () => (await deliveriesOf(actor, endpoint, 'dead-letters'))[0],
      LONG,
    );
    expect(dead.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
    expect(postsOf('/dead', 'message.received')).toHaveLength(5);

    receiver.get().answerWith(200);
    await actor.write(inventPhone(), 'in time');
    const next = await waitFor('the next event', () => postsOf('/dead', 'message.received')[5], LONG);
    expect(bodyOf(next).payload['body']).toEqual({ type: 'text', text: 'in time' });
    expect(bodyOf(next).deliveryId).not.toBe(dead.deliveryId);
  });

  test('gets its dead letters again when it is back, and finds in the log that it has missed nothing', async () => {
    const actor = await Actor.create(stack);
    const endpoint = await subscribe(actor, '/was-down', ['message.received']);
    const log = async (after?: string) => {
      const query = after ? `?after=${encodeURIComponent(after)}` : '';
      const { body } = await actor.api<EventLog>('GET', `/v1/events${query}`);
      return body;
    };
    const { nextCursor: before } = await waitFor('the log', async () => {
      const page = await log();
      return page.nextCursor !== null && page;
    });
    receiver.get().answerWith(({ path }) => (path === '/was-down' ? 503 : 200));
    for (const text of ['one', 'two', 'three']) await actor.write(inventPhone(), text);
    const dead = await waitFor(
      'the dead letters',
      async () => {
        const all = await deliveriesOf(actor, endpoint, 'dead-letters');
        return all.length === 3 && all;
      },
      LONG,
    );

    const receivedBefore = receiver.get().received.length;
    receiver.get().answerWith(200);
    const replay = `/v1/webhooks/${endpoint}/replay`;
    const counted = await actor.api('POST', replay, { status: 'DEAD', dryRun: true });
    expect(counted).toMatchObject({ status: 202, body: { total: 3, replay: null } });
    const begun = await actor.api<{ replay: { id: string } }>('POST', replay, { status: 'DEAD' });
    const done = await waitFor('the end of the replay', async () => {
      const { body } = await actor.api('GET', `/v1/replays/${begun.body.replay.id}`);
      return body['state'] === 'DONE' && body;
    });
    expect(done).toMatchObject({ total: 3, done: 3, failed: 0 });
    const again = receiver
      .get()
      .received.slice(receivedBefore)
      .filter(({ path }) => path === '/was-down');
    expect(again.map((post) => bodyOf(post).deliveryId).toSorted()).toEqual(
      dead.map(({ deliveryId }) => deliveryId).toSorted(),
    );
    expect(await deliveriesOf(actor, endpoint, 'dead-letters')).toEqual([]);

    const missed = (await log(before ?? '')).items.filter(({ event }) => event === 'message.received');
    const keyIds = (payloads: { keyId?: unknown }[]) => payloads.map(({ keyId }) => keyId).toSorted();
    expect(keyIds(missed.map(({ payload }) => payload))).toEqual(
      keyIds(again.map((post) => bodyOf(post).payload)),
    );
  });
});

test('the audit log says who made, changed and deleted an endpoint; the tenant’s events do not', async () => {
  const actor = await Actor.create(stack);
  const endpoint = await subscribe(actor, '/audited', []);
  await actor.api('PATCH', `/v1/webhooks/${endpoint}`, { ordering: 'STRICT' });
  await actor.api('DELETE', `/v1/webhooks/${endpoint}`);
  type Line = { action: string; target: string; actor: string; details: object };
  const lines = await waitFor('three lines', async () => {
    const { body } = await actor.api<{ items: Line[] }>('GET', '/v1/audit-log?limit=200');
    const own = body.items.filter(({ target }) => target === endpoint);
    return own.length >= 3 && own;
  });
  const { origin } = receiver.get();
  const details = (action: string) =>
    lines.filter((line) => line.action === action).map((line) => line.details);
  const name = '/audited';
  expect(details('webhook.created')).toEqual([{ name, origin }]);
  expect(details('webhook.updated')).toEqual([{ name, origin, fields: ['ordering'] }]);
  expect(details('webhook.deleted')).toEqual([{ name, origin }]);
  expect(lines.every((line) => /^key:\w+$/.test(line.actor))).toBe(true);
  const { body } = await actor.api<EventLog>('GET', '/v1/events?limit=200');
  expect(body.items.map(({ event }) => event)).not.toContain('webhook.created');
});
