import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateEndpoint, GetEndpoint, RotateEndpointSecret, UpdateEndpoint } from '@svc/contracts';
import { type ReceivedWebhook, waitFor } from '@svc/testing';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());
afterEach(() => stage.database.query('DELETE FROM public.svc_clock'));

const DAY_MS = 24 * 3_600_000;
const { webhooks: stripe } = new Stripe('unused');

const headersOf = ({ headers }: ReceivedWebhook): Record<string, string> => headers as Record<string, string>;
const accepts = (verify: () => unknown): boolean => {
  try {
    return verify() !== undefined;
  } catch {
    return false;
  }
};
/** Says whether our signature is made with a secret. */
const isOurs = (post: ReceivedWebhook, secret = ''): boolean =>
  accepts(() => stripe.constructEvent(post.raw, headersOf(post)['x-svc-signature'] ?? '', secret));
/** Says whether a Standard Webhooks library accepts it with a secret. */
const isStandard = (post: ReceivedWebhook, secret = ''): boolean =>
  accepts(() => new Webhook(secret).verify(post.raw, headersOf(post)));

async function anEndpoint(standardWebhooks: boolean) {
  const tenantId = randomUUID();
  const path = `/${tenantId}`;
  const request = { tenantId, name: 'CRM', url: stage.at(path), events: [], standardWebhooks };
  const { endpoint } = await stage.rpc.request(CreateEndpoint, request);
  const ref = { tenantId, endpointId: endpoint.id };
  const rotate = async () => (await stage.rpc.request(RotateEndpointSecret, ref)).endpoint;
  return { ...ref, path, endpoint, rotate, secret: endpoint.secret };
}

/** Publishes an event of a tenant and waits for its POST. */
async function posted(tenantId: string, path: string, sessionId = randomUUID()): Promise<ReceivedWebhook> {
  const posts = () => stage.receiver.received.filter((post) => post.path === path);
  const before = posts().length;
  await stage.producer.received(tenantId, { sessionId });
  return waitFor('the webhook', () => posts()[before]);
}

describe('a rotation', () => {
  test('answers the new secret once, and it alone signs in our header from the next attempt on', async () => {
    const { tenantId, endpointId, path, endpoint, secret, rotate } = await anEndpoint(false);
    const first = await posted(tenantId, path);
    expect([isOurs(first, secret), first.headers['webhook-signature']]).toEqual([true, undefined]);
    const rotated = await rotate();
    expect(rotated).toEqual({ ...endpoint, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
    expect(rotated.secret).not.toBe(secret);
    const { endpoint: view } = await stage.rpc.request(GetEndpoint, { tenantId, endpointId });
    expect(view).not.toHaveProperty('secret');
    const second = await posted(tenantId, path);
    expect([isOurs(second, rotated.secret), isOurs(second, secret)]).toEqual([true, false]);
    expect(second.headers['webhook-signature']).toBeUndefined();
  });

  test('lets both secrets sign in the Standard Webhooks header for 24 hours, and then the new one alone', async () => {
    const { tenantId, endpointId, path, secret, rotate } = await anEndpoint(true);
    const { secret: newest } = await rotate();
    const move = async (offsetMs: number): Promise<void> => {
      await stage.database.query('DELETE FROM public.svc_clock');
      await stage.database.query('SELECT public.svc_clock_set($1)', [offsetMs]);
      // The change makes the owner read its row again, as it does by itself within seconds.
      await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, name: 'CRM' });
    };
    for (const [offsetMs, old] of [
      [0, true],
      [DAY_MS - 60_000, true],
      [DAY_MS + 60_000, false],
    ] as const) {
      await move(offsetMs);
      const post = await posted(tenantId, path);
      expect(headersOf(post)['webhook-id']).toBe(headersOf(post)['x-svc-delivery-id']);
      expect([isStandard(post, newest), isStandard(post, secret)]).toEqual([true, old]);
      expect([isOurs(post, newest), isOurs(post, secret)]).toEqual([true, false]);
    }
  });

  test('that follows another does not cut off the secrets before it, up to five that sign', async () => {
    const { tenantId, path, secret, rotate } = await anEndpoint(true);
    const secrets = [secret];
    for (let i = 0; i < 5; i += 1) secrets.push((await rotate()).secret);
    const post = await posted(tenantId, path);
    const signed = secrets.map((one) => isStandard(post, one));
    expect(signed).toEqual([false, true, true, true, true, true]);
    expect(secrets.map((one) => isOurs(post, one))).toEqual([false, false, false, false, false, true]);
  });

  test('of the endpoint bound to a session is the same', async () => {
    const [tenantId, sessionId] = [randomUUID(), randomUUID()];
    const made = await stage.bind({ tenantId, sessionId, url: stage.at('/bot') });
    const endpointId = made?.id ?? '';
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, standardWebhooks: true });
    const rotated = await stage.bind({ tenantId, sessionId, rotateSecret: true });
    const post = await posted(tenantId, '/bot', sessionId);
    expect([isOurs(post, rotated?.secret), isOurs(post, made?.secret)]).toEqual([true, false]);
    expect([isStandard(post, rotated?.secret), isStandard(post, made?.secret)]).toEqual([true, true]);
  });

  test('of an unknown endpoint or another tenant’s is refused', async () => {
    const { endpointId } = await anEndpoint(false);
    const rotate = (tenantId: string, id: string) =>
      stage.rpc.request(RotateEndpointSecret, { tenantId, endpointId: id });
    await expect(rotate(randomUUID(), endpointId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(rotate(randomUUID(), randomUUID())).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
  });
});
