import { afterEach, expect, test } from '@jest/globals';
import { partitionOf, UpdateEndpoint } from '@svc/contracts';
import { type ServiceProcess, waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

// The delays leave time between two attempts to pause and to see that nothing overtakes.
const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,1000,1000,1000,1000' });

const running: ServiceProcess[] = [];
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())));
const start = async (WORKER_NAME: string): Promise<ServiceProcess> => {
  const started = await stage.spawn({ WORKER_NAME });
  running.push(started);
  return started;
};

test.each([
  ['stops in good order', 'SIGTERM'],
  ['is killed', 'SIGKILL'],
] as const)('strict order outlives a pause during which the owner %s', async (_, signal) => {
  const first = await start(`first-${signal}`);
  const { tenantId, endpointId, path, deliveries, delivered, hot } = await stage.subscriber([
    'message.received',
  ]);
  await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ordering: 'STRICT' });
  const receive = async (...keyIds: string[]): Promise<void> => {
    for (const keyId of keyIds) await stage.producer.received(tenantId, { sessionId: tenantId, keyId });
  };
  const arrived = () => stage.keyIds(path);
  let isFailing = true;
  stage.receiver.answerWith(({ raw }) => (isFailing && raw.includes('"keyId":"0"') ? 503 : 200));
  await receive('0', '1', '2');
  await waitFor('the head to fail, the others behind it', async () => {
    const all = await deliveries();
    return all.length === 3 && all.some(({ attempts }) => attempts.length > 0);
  });

  await stage.setStatus(tenantId, endpointId, 'PAUSED');
  await receive('3', '4');
  // An event that the first process was handed and has not taken in would come again behind later ones.
  await waitFor('all to be taken in', async () => (await hot()).length === 5);
  const successor = `second-${signal}`;
  await start(successor);
  await first.stop(signal);
  const isOwner = async () => (await stage.partitionsOf(successor)).includes(partitionOf(tenantId));
  await waitFor('the other to take over', isOwner, PATIENCE_MS);
  await receive('5', '6');
  await waitFor(
    'the head to be held, everything behind it',
    async () => {
      const rows = await hot();
      return rows.length === 7 && rows[0]?.state === 'held';
    },
    PATIENCE_MS,
  );

  const before = arrived().length;
  await stage.setStatus(tenantId, endpointId, 'ACTIVE');
  await receive('7');
  await waitFor('the head to be tried again', () => arrived().length > before);
  isFailing = false;
  await delivered(8);
  const order = arrived();
  expect(order.slice(order.lastIndexOf('0'))).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(new Set(order.slice(0, order.lastIndexOf('0')))).toEqual(new Set(['0']));
});
