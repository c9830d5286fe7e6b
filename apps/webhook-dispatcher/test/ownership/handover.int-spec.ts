import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

/** Time of the receiver for an answer, and between two events of a tenant, in ms: so something of each is always in flight. */
const PACE_MS = 250;

const stage = Stage.ofThisFile();

test('partitions that change hands in good order lose no delivery, send none twice and burn no attempt', async () => {
  const first = await stage.spawn({ WORKER_NAME: 'first' });
  // There are so many that most partitions have one of them.
  const subscribers = await Promise.all(Array.from({ length: 96 }, () => stage.subscriber()));
  stage.receiver.answerWith(async () => (await delay(PACE_MS), 200));
  let rounds = 0;
  const publish = async (): Promise<void> => {
    rounds += 1;
    const fields = { keyId: String(rounds) };
    await Promise.all(
      subscribers.map(({ tenantId: id }) => stage.producer.received(id, { ...fields, sessionId: id })),
    );
    await delay(PACE_MS);
  };
  await stage.spawn({ WORKER_NAME: 'second' });
  // The processes start one after the other, each as soon as the one before has its partitions: with one search of the processes every five
  // seconds it would take longer than the limit.
  await waitFor(
    'half of the partitions to move',
    async () => {
      await publish();
      return (await stage.partitionsOf('second')).length === 32;
    },
    100_000,
  );
  // The others stop together.
  const stopped = first.stop();
  await publish();
  expect(await stopped).toBe(0);
  await publish();
  for (const { path, delivered } of subscribers) {
    const deliveries = await delivered(rounds);
    // The order is open: an event that the first process had been handed and not taken in comes again later.
    const keyIds = stage.keyIds(path).map(Number);
    expect(keyIds.toSorted((x, y) => x - y)).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
    for (const { attempts } of deliveries) {
      expect(attempts.map(({ attempt, status }) => [attempt, status])).toEqual([[1, 200]]);
    }
  }
});
