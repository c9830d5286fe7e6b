import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { UpdateEndpoint } from '@svc/contracts';
import { type DeliveryBody, waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile({ LOG_LEVEL: 'debug' });

test('kill -9 with deliveries under way loses none and never makes a second id', async () => {
  const first = await stage.spawn();
  const { tenantId, secret, delivered } = await stage.subscriber();
  let killed = false;
  const seen = new Set<string>();
  // The receiver answers so that some are delivered before the crash, some have failed once, some get no answer.
  stage.receiver.answerWith(({ raw }) => {
    const { deliveryId, payload } = JSON.parse(raw.toString()) as DeliveryBody;
    const kind = killed || seen.has(deliveryId) ? 0 : Number(payload['keyId']) % 3;
    seen.add(deliveryId);
    return ([200, 503, 'hang'] as const)[kind] ?? 200;
  });
  for (let i = 0; i < 120; i += 1) {
    await stage.producer.received(tenantId, { keyId: String(i), body: { type: 'text', text: `words ${i}` } });
    if (i === 60) await stage.pathsOf(10);
  }
  // An event that is not committed comes again after the stream's ack wait of 10 s: this wait is shorter.
  const takenIn = async (): Promise<boolean> => (await stage.producer.unacked(tenantId)) === 0;
  await waitFor('all events to be taken in', takenIn, PATIENCE_MS);
  await first.stop('SIGKILL');
  killed = true;
  const second = await stage.spawn();
  await delivered(120);

  const idsByKey = new Map<unknown, Set<string>>();
  for (const { deliveryId, payload } of stage.receiver.bodies()) {
    const ids = idsByKey.get(payload['keyId']) ?? new Set();
    idsByKey.set(payload['keyId'], ids.add(deliveryId));
  }
  expect(idsByKey.size).toBe(120);
  expect([...idsByKey.values()].every((ids) => ids.size === 1)).toBe(true);

  for (const { output } of [first, second]) {
    expect(output()).toContain('is ready');
    for (const private_ of [secret, secret.slice(6), stage.env['SECRETS_KEY'] ?? '', 'words 1']) {
      expect(output()).not.toContain(private_);
    }
  }
  expect(await second.stop()).toBe(0);
});

test('a change is in force whichever of two processes answers, and both stop cleanly', async () => {
  const [one, two] = [await stage.spawn(), await stage.spawn({ WORKER_NAME: 'dispatcher-beside-it' })];
  const tenantId = randomUUID();
  const { id: endpointId } = await stage.endpoint(tenantId, stage.at('/0'));
  for (let i = 1; i <= 12; i += 1) {
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, url: stage.at(`/${i}`) });
    await stage.producer.received(tenantId);
    expect((await stage.pathsOf(i)).at(-1)).toBe(`/${i}`);
  }
  expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0]);
});
