import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { type Envelope, PUBLIC_EVENTS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

/** Reads the published sample of an event. */
function sampleOf(event: string): Envelope {
  const fixture = new URL(`../../../../libs/contracts/fixtures/${event}.v1.json`, import.meta.url);
  return JSON.parse(readFileSync(fixture, 'utf8')) as Envelope;
}

test.each(PUBLIC_EVENTS)(
  'an endpoint that names an event gets it with its payload as it was published: %s',
  async (event) => {
    const { tenantId, path } = await stage.subscriber([event]);
    const sample = { ...sampleOf(event), id: randomUUID(), tenantId };
    await stage.producer.publish(sample);
    const [body] = await waitFor('the webhook', () => {
      const bodies = stage.receiver.bodies(path);
      return bodies.length > 0 && bodies;
    });
    expect(body).toEqual({ event, deliveryId: expect.any(String), payload: sample.data });
  },
);
