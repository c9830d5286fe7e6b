import { describe, expect, test } from '@jest/globals';
import { AppError } from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import {
  answersOf,
  askedAgainAfter,
  aSentEvent,
  backlog,
  boot,
  lastDeadLetter,
  type SmallService,
  withNats,
} from './small-service.js';

withNats();

/** Makes an event that was handed out so often without success, and a service that fails to process it once more. */
async function deliveredBefore(
  times: number,
  error: Error,
): Promise<{ shop: SmallService; answers: string[] }> {
  const maker = await boot({});
  await waitFor('its consumer', () => maker.messaging.manager.consumers.info('EVENTS', 'shop'));
  await maker.strategy.close();
  await maker.messaging.publishEvent(aSentEvent());
  const consumer = await maker.messaging.jetstream.consumers.get('EVENTS', 'shop');
  for (let delivery = 1; delivery <= times; delivery += 1) (await consumer.next())!.nak();
  const answers = answersOf(maker.messaging, 'shop');
  await maker.messaging.line.connection.flush();
  const shop = await boot({ sent: () => Promise.reject(error) });
  return { shop, answers };
}

describe('an event whose handler fails for a reason nobody foresaw', () => {
  test('is given up with the twentieth delivery: a copy with the reason is kept', async () => {
    const { shop, answers } = await deliveredBefore(19, new TypeError('canary'));
    const dead = await waitFor('the dead letter', () => lastDeadLetter(shop.messaging, 'shop'));
    expect(dead).toMatchObject({ reason: { code: 'INTERNAL' }, delivery: 20 });
    expect(JSON.stringify(dead.reason)).not.toContain('canary');
    await waitFor('an empty queue', async () => (await backlog(shop.messaging, 'EVENTS', 'shop')) === 0);
    await waitFor('the only answer', () => answers.length > 0);
    expect(answers).toEqual(['+ACK']);
  });

  test('is not given up before that', async () => {
    const { shop, answers } = await deliveredBefore(18, new TypeError('a bug'));
    await waitFor('the answer to the nineteenth delivery', () => answers[0] === askedAgainAfter(10_000));
    expect(await lastDeadLetter(shop.messaging, 'shop')).toBeUndefined();
    expect(await backlog(shop.messaging, 'EVENTS', 'shop')).toBe(1);
  });
});

test.each([
  ['another service is away', new AppError('UPSTREAM_UNAVAILABLE')],
  ['another service does not answer', new AppError('UPSTREAM_TIMEOUT')],
])('an event that waits because %s is never given up', async (_, error) => {
  const { shop, answers } = await deliveredBefore(40, error);
  await waitFor('the answer to the next delivery', () => answers[0] === askedAgainAfter(10_000));
  expect(await lastDeadLetter(shop.messaging, 'shop')).toBeUndefined();
  expect(await backlog(shop.messaging, 'EVENTS', 'shop')).toBe(1);
});
