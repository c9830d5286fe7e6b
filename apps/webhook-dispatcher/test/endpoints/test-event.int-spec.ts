import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetEndpoint, GetEndpointHealth, PauseEndpoint, TestEndpoint, UpdateEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Stage } from '../stage.js';

const TIMEOUT_MS = 2_000;
const stage = Stage.ofThisFile({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
beforeAll(() => stage.boot());

/** Server whose answer is longer than the stored part, and not all UTF-8. */
const talkative = createServer((request, response) => {
  request
    .resume()
    .on('end', () => response.writeHead(418).end(Buffer.concat([Buffer.of(0xff), Buffer.alloc(9_000, 'a')])));
});
beforeAll(() => new Promise<void>((resolve) => talkative.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => talkative.close(resolve)));

async function anEndpoint() {
  const subscriber = await stage.subscriber(['message.received']);
  const { tenantId, endpointId } = subscriber;
  const ref = { tenantId, endpointId };
  const send = async () => (await stage.rpc.request(TestEndpoint, ref, 15_000)).result;
  const view = async () => (await stage.rpc.request(GetEndpoint, ref)).endpoint;
  const health = async () => (await stage.rpc.request(GetEndpointHealth, ref)).health;
  const update = (fields: object) => stage.rpc.request(UpdateEndpoint, { ...ref, ...fields });
  return { ...subscriber, ref, send, view, health, update };
}

describe('a test event', () => {
  test('is posted at once, signed and marked as a test, and what came back is the answer', async () => {
    const { endpointId, secret, send, update } = await anEndpoint();
    await update({ headers: { 'X-Team': 'ops' }, standardWebhooks: true });
    const result = await send();
    const { deliveryId } = result;
    expect(result).toEqual({
      deliveryId,
      status: 200,
      error: null,
      durationMs: expect.any(Number),
      responseHead: '',
    });
    const [post] = stage.receiver.received;
    const body = { event: 'webhook.test', deliveryId, payload: { test: true, endpointId } };
    expect(JSON.parse(String(post?.raw))).toMatchObject(body);
    const headers = post?.headers as Record<string, string>;
    expect(headers).toMatchObject({
      'x-team': 'ops',
      'x-svc-event': 'webhook.test',
      'x-svc-delivery-id': deliveryId,
    });
    const { webhooks } = new Stripe('unused');
    expect(
      webhooks.constructEvent(post?.raw as Buffer, headers['x-svc-signature'] ?? '', secret),
    ).toMatchObject(body);
    expect(new Webhook(secret).verify(post?.raw as Buffer, headers)).toMatchObject(body);
  });

  test('goes to a paused endpoint too, counts for nothing and leaves nothing behind', async () => {
    const { tenantId, endpointId, ref, send, view, health, deliveries } = await anEndpoint();
    stage.receiver.answerWith(404);
    for (let i = 0; i < 6; i += 1) expect(await send()).toMatchObject({ status: 404, error: 'HTTP_404' });
    expect((await view()).status).toBe('ACTIVE');
    const untouched = { lastSuccess: null, lastFailure: null, permanent4xxRun: 0, dead: { count: 0 } };
    expect(await health()).toMatchObject(untouched);
    await stage.rpc.request(PauseEndpoint, { ...ref, reason: 'moving', actor: 'key:ada' });
    stage.receiver.answerWith(204);
    expect(await send()).toMatchObject({ status: 204, error: null });
    expect((await view()).status).toBe('PAUSED');
    expect(await deliveries()).toEqual([]);
    for (const table of ['webhook_delivery', 'webhook_attempt', 'webhook_dlq']) {
      const sql = `SELECT FROM webhooks.${table} WHERE endpoint_id = $1`;
      expect(await stage.database.query(sql, [endpointId])).toEqual([]);
    }
    const tests = "SELECT FROM webhooks.webhook_event WHERE tenant_id = $1 AND kind = 'webhook.test'";
    expect(await stage.database.query(tests, [tenantId])).toEqual([]);
    expect(stage.receiver.received).toHaveLength(7);
  });

  test('ends at the deadline of an attempt, and only one is under way per endpoint', async () => {
    const [slow, other] = [await anEndpoint(), await anEndpoint()];
    stage.receiver.answerWith(({ path }) => (path === slow.path ? 'hang' : 200));
    const first = slow.send();
    await waitFor('the test', () => slow.posts().length === 1);
    await expect(slow.send()).rejects.toMatchObject({
      code: 'ENDPOINT_CONFLICT',
      meta: { endpointId: slow.endpointId },
    });
    expect(await other.send()).toMatchObject({ status: 200 });
    expect(await first).toMatchObject({ status: null, error: 'TIMEOUT', responseHead: '' });
    expect((await first).durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
    stage.receiver.answerWith(200);
    expect(await slow.send()).toMatchObject({ status: 200 });
    expect(slow.posts()).toHaveLength(2);
  });

  test('shows the beginning of an answer as text', async () => {
    const { send, update } = await anEndpoint();
    await update({ url: `http://127.0.0.1:${(talkative.address() as AddressInfo).port}/` });
    const { status, error, responseHead } = await send();
    expect([status, error]).toEqual([418, 'HTTP_418']);
    expect(responseHead).toBe(`\ufffd${'a'.repeat(4_095)}`);
  });

  test('goes nowhere that a delivery must not go', async () => {
    const { endpointId, send, update } = await anEndpoint();
    // The row looks as if its address had been allowed once: saved rows are checked when they are used.
    const sql = 'UPDATE webhooks.webhook_endpoint SET url = $2 WHERE id = $1';
    await stage.database.query(sql, [endpointId, 'http://127.0.0.2:1/']);
    expect(await send()).toMatchObject({ status: null, error: 'DESTINATION_NOT_ALLOWED' });
    await update({ url: stage.at('/elsewhere') });
    stage.receiver.answerWith(307);
    expect(await send()).toMatchObject({ status: 307, error: 'REDIRECT_NOT_FOLLOWED' });
  });

  test('of an unknown endpoint or another tenant’s is refused', async () => {
    const { endpointId } = await anEndpoint();
    const send = (tenantId: string, id: string) =>
      stage.rpc.request(TestEndpoint, { tenantId, endpointId: id });
    await expect(send(randomUUID(), endpointId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(send(randomUUID(), randomUUID())).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
    expect(stage.receiver.received).toHaveLength(0);
  });
});
