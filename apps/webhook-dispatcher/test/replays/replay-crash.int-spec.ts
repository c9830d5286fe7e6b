import { expect, test } from '@jest/globals';
import { GetReplay, StartReplay } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0' });
const COUNT = 200;

test('kill -9 in the middle of a replay: it goes on where it was, and no delivery has two recorded attempts of it', async () => {
  const first = await stage.spawn();
  const { tenantId, endpointId, deliveries, delivered, posts } = await stage.subscriber();
  stage.receiver.answerWith(500);
  for (let i = 0; i < COUNT; i += 1) await stage.producer.received(tenantId);
  await waitFor('the dead letters', async () => (await deliveries(true)).length === COUNT, PATIENCE_MS);
  stage.receiver.received.length = 0;
  // The crash comes while some are delivered, some are under way, and most have yet to be put on their way.
  let killed = false;
  stage.receiver.answerWith(() => (killed || stage.receiver.received.length <= 50 ? 200 : 'hang'));
  const request = { tenantId, endpointId, status: 'DEAD' as const };
  const { replay } = await stage.rpc.request(StartReplay, request);
  const progress = async () =>
    (await stage.rpc.request(GetReplay, { tenantId, replayId: replay?.id ?? '' })).replay;
  await waitFor('some to be done', async () => (await progress()).done >= 40, PATIENCE_MS);
  await first.stop('SIGKILL');
  killed = true;
  expect(posts().length).toBeLessThan(COUNT);
  const atCrash = new Set(posts());

  await stage.spawn();
  const finished = await waitFor(
    'the replay to end',
    async () => {
      const now = await progress();
      return now.state === 'DONE' && now;
    },
    PATIENCE_MS,
  );
  expect(finished).toMatchObject({ total: COUNT, done: COUNT, failed: 0 });
  const all = await delivered(COUNT);
  expect(all.map(({ attempts }) => attempts.map(({ attempt, replay: again }) => [attempt, again]))).toEqual(
    all.map(() => [
      [1, false],
      [2, true],
    ]),
  );
  // The attempts that were under way when it was killed are the most that can be sent twice.
  expect(posts().length - COUNT).toBeLessThanOrEqual(8 + 64);
  expect(new Set(posts()).size).toBe(COUNT);
  expect(atCrash.size).toBeGreaterThanOrEqual(40);
});
