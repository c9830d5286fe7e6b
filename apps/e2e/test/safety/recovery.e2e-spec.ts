import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor } from '../../src/stack/actor.js';
import { killDuringLoad } from '../../src/load/kill-during-load.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const pidOf = (name: string): number | undefined =>
  stack.file.processes.find((process) => process.name === name)?.pid;

test('a worker killed in the middle of 20 sends and 20 inbound texts loses and doubles nothing', async () => {
  const actor = await Actor.create(stack, '--plan', 'ENTERPRISE', '--internal');
  await actor.promote();
  await actor.listen(receiver.get());
  const killed = pidOf('session-worker');

  const round = await killDuringLoad(actor, receiver.get(), {
    victim: 'session-worker',
    messages: 20,
    after: 10,
  });
  const figures = await round.count();
  expect(pidOf('session-worker')).not.toBe(killed);
  expect(figures).toMatchObject({
    killedAfter: 10,
    recoveredMs: expect.any(Number),
    accepted: 20,
    lostOut: 0,
    lostIn: 0,
    doubles: 0,
    missing: [],
    repeatsWithOtherId: 0,
  });

  // The gateway's own view is the same as the one from outside.
  await waitFor('the gateway to have heard it all, too', async () => {
    const { body } = await actor.api<{ items: { direction: string; status: string }[] }>(
      'GET',
      '/v1/messages?limit=100',
    );
    const states = body.items.map(({ direction, status }) => `${direction} ${status}`);
    const of = (state: string): number => states.filter((one) => one === state).length;
    return of('OUTBOUND DELIVERED') === 20 && of('INBOUND RECEIVED') === 20;
  });
});

test('a load whose sends stay refused is given up and counted', async () => {
  const actor = await Actor.create(stack, '--plan', 'GROWTH');
  await actor.listen(receiver.get());
  await stack.operator('subscriptions', 'set', actor.tenant.tenantId, 'UNPAID');
  const round = await killDuringLoad(actor, receiver.get(), {
    victim: 'session-worker',
    messages: 20,
    after: 10,
    patienceMs: 1_000,
  });
  const figures = await round.count();
  expect(figures).toMatchObject({ killedAfter: null, accepted: 0, lostOut: 0, recoveredMs: null });
  expect(figures.written).toBeLessThan(20);
});
