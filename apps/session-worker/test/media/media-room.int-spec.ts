import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GetSubscription } from '@svc/contracts';
import { natsConnectionOf } from '@svc/testing';
import { MediaRoom } from '../../src/media/media-room.js';
import { Stage } from '../support.js';

const MOST_TENANTS = 10_000;
const AT_ONCE = 250;

let stage: Stage;
/** Questions that billing was asked. */
let asked = 0;

beforeAll(async () => {
  stage = await Stage.start();
  const entitlements = {
    ...{ sessions: 5, messages: 1, calls: 1, tokens: 1, overage: 'bill', pace: 1, storage: null },
  };
  const state = { plan: 'GROWTH', status: 'ACTIVE', internal: false, active: true, entitlements };
  natsConnectionOf(stage.messaging).subscribe(GetSubscription.subject, {
    callback: (_error, message) => {
      asked += 1;
      const { id, data } = message.json<{ id: string; data: { tenantId: string } }>();
      const response = { tenantId: data.tenantId, ...state };
      message.respond(JSON.stringify({ id, isDisposed: true, response }));
    },
  });
  await natsConnectionOf(stage.messaging).flush();
});
afterAll(() => stage.stop());

test('the room of 10,000 tenants is remembered, and with that of the next one all are asked for anew', async () => {
  const room = stage.worker.get(MediaRoom);
  const tenantIds = Array.from({ length: MOST_TENANTS }, () => randomUUID());
  for (let n = 0; n < MOST_TENANTS; n += AT_ONCE) {
    const some = tenantIds.slice(n, n + AT_ONCE);
    expect(await Promise.all(some.map((tenantId) => room.left(tenantId)))).toEqual(some.map(() => Infinity));
  }
  expect(asked).toBe(MOST_TENANTS);
  const latest = tenantIds.at(-1) as string;
  await room.left(latest);
  expect(asked).toBe(MOST_TENANTS);
  await room.left(randomUUID());
  await room.left(latest);
  expect(asked).toBe(MOST_TENANTS + 2);
});
