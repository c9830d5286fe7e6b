import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { waitFor, WebhookReceiver } from '@svc/testing';
import type { Actor } from '../../src/stack/actor.js';
import { type Answer, Stack } from '../../src/stack/stack.js';

/** The stack of this run, once all of it is up: the test before may have killed a part. */
export function stackOfRun(): Promise<Stack> {
  return waitFor('the stack of this run', () => Stack.running(process.env['E2E_DATA_DIR']), 120_000);
}

/** Starts a webhook receiver for all tests of a file. */
export function withReceiver(): { get: () => WebhookReceiver } {
  let receiver: WebhookReceiver;
  beforeAll(async () => void (receiver = await WebhookReceiver.start()));
  afterAll(() => receiver.stop());
  return { get: () => receiver };
}

/** Range of ports below the kernel's, from which others get a port between the search and the start of the program, and below the launcher's. */
const [LOWEST_PORT, HIGHEST_PORT] = [12_000, 20_000];

/** Finds a free port, for a program that gets it as an argument. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Expects the error body of the specification, whatever the error. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  expectErrorBody(answer);
}

/** Expects an error body under any status of the 400s. */
export function expectErrorBody({ status, headers, body }: Answer): void {
  expect(Math.floor(status / 100)).toBe(4);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(body).toEqual({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.any(String),
    requestId: headers.get('x-request-id'),
    meta: expect.any(Object),
  });
}

/** Waits until nothing changes the status of a message any more, unless its contact reads it. */
export async function untilDelivered(actor: Actor, message: string): Promise<void> {
  await waitFor(
    'the status to come to rest',
    async () => (await actor.api('GET', `/v1/messages/${message}`)).body['status'] === 'DELIVERED',
    60_000,
  );
}

/** Reads all that a tenant can read of itself: equal before and after calls that must not have written anything. */
export async function everythingOf(actor: Actor): Promise<unknown> {
  const pages = ['messages', 'sessions', 'webhooks', 'api-keys'].map(async (resource) => {
    const { body } = await actor.api<{ items: Record<string, unknown>[] }>(
      'GET',
      `/v1/${resource}?limit=200`,
    );
    // Reading writes the time of the last use of a key, too.
    return body.items.map((item) => ({ ...item, lastUsedAt: null }));
  });
  return Promise.all([
    ...pages,
    actor.api('GET', `/v1/sessions/${actor.sessionId}/external-config`).then(({ body }) => body),
  ]);
}
