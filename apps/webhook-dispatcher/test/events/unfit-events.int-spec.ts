import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Envelope, MessageReceived } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { aMessage } from '../producer.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const envelope = (tenantId: string, timestamp: string): Envelope =>
  envelopeOf(MessageReceived, { tenantId }, aMessage({ timestamp }));

describe('an event of a faulty publisher', () => {
  test.each([
    ['no JSON', () => 'hello {'],
    ['no envelope', () => JSON.stringify({ hello: 'world' })],
    ['of no time', (tenantId: string) => JSON.stringify(envelope(tenantId, 'yesterday'))],
  ])('goes to the dead letters at once where it is %s, and the next one is delivered', async (_, bodyOf) => {
    const { tenantId, delivered } = await stage.subscriber();
    const dead = await stage.producer.collectDead();
    const body = bodyOf(tenantId);
    await stage.producer.publishRaw(tenantId, body);
    await stage.producer.received(tenantId);
    await delivered(1);
    const mine = await waitFor('the dead letter', () => dead.find(({ message }) => message === body));
    expect(mine).toMatchObject({ delivery: 1, reason: { code: 'VALIDATION_FAILED' } });
  });

  test('that the database does not take leaves the others of its batch alone', async () => {
    const [one, other] = [await stage.subscriber(), await stage.subscriber()];
    // A time for JavaScript, and before the first one that PostgreSQL knows.
    const unfit = envelope(one.tenantId, '-200000-01-01T00:00:00.000Z');
    const fit = ({ tenantId }: { tenantId: string }): Envelope =>
      envelope(tenantId, '2026-01-31T12:00:00.000Z');
    const batch = [fit(one), unfit, fit(one), fit(other)];
    const taken = await Promise.allSettled(batch.map((event) => stage.handIn(event)));
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    await one.delivered(2);
    await other.delivered(1);
  });
});
