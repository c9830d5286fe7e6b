import { expect, test } from '@jest/globals';
import { partitionOf } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile();

test('a process that was frozen beyond its lease writes and sends nothing any more when it wakes', async () => {
  const frozen = await stage.spawn({ WORKER_NAME: 'frozen' });
  const subscriber = await stage.subscriber();
  const { tenantId, path } = subscriber;
  const open = stage.holdBack();
  for (const keyId of ['in flight', 'behind it']) {
    await stage.producer.received(tenantId, { sessionId: tenantId, keyId });
  }
  await waitFor('the POST', () => subscriber.posts().length === 1);
  await waitFor('both to be leased', async () => (await subscriber.hot()).length === 2);
  process.kill(frozen.pid, 'SIGSTOP');
  const partition = partitionOf(tenantId);
  try {
    await stage.spawn({ WORKER_NAME: 'successor' });
    await waitFor(
      'the lease to run out',
      async () => (await stage.partitionsOf('successor')).includes(partition),
      PATIENCE_MS,
    );
    open();
    // Read from the rows: a frozen process still gets its share of the requests, and answers none.
    await waitFor('both deliveries', async () => (await subscriber.hot()).length === 0, PATIENCE_MS);
  } finally {
    process.kill(frozen.pid, 'SIGCONT');
  }
  await waitFor('it to notice', () => frozen.output().includes('partition lost'), PATIENCE_MS);
  await stage.producer.received(tenantId, { sessionId: tenantId, keyId: 'last' });
  const deliveries = await subscriber.delivered(3);

  expect(stage.keyIds(path)).toEqual(['in flight', 'in flight', 'behind it', 'last']);
  const [first, second] = subscriber.posts();
  expect(second).toBe(first);
  for (const { attempts } of deliveries) {
    expect(attempts.map(({ attempt, status }) => [attempt, status])).toEqual([[1, 200]]);
  }
});
