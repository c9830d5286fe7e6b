import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { parseData, type PublicEvent, ReadEventLog, WebhookStateV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

// Retries far away: here every attempt is a first one.
const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,600000,600000,600000' });
beforeAll(() => stage.boot());

const EVENTS: PublicEvent[] = ['webhook.paused', 'webhook.recovered'];

/** Makes a tenant with a CRM that gets messages, and a second endpoint that gets the events of the first. */
async function aTenantWithAWatcher() {
  const subscriber = await stage.subscriber(['message.received']);
  const { tenantId, endpointId, deliveries, path } = subscriber;
  const watcher = `${path}/watcher`;
  await stage.endpoint(tenantId, stage.at(watcher), EVENTS);
  const answers: number[] = [];
  stage.receiver.answerWith((webhook) => (webhook.path === watcher ? 200 : (answers[0] ?? 200)));
  const received = async (status: number, count = 1): Promise<void> => {
    answers[0] = status;
    for (let i = 0; i < count; i += 1) {
      const before = (await deliveries()).length;
      await stage.producer.received(tenantId);
      await waitFor('the attempt', async () => {
        const [newest, ...others] = await deliveries();
        return others.length === before && newest?.attempts.length === 1;
      });
    }
  };
  const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
  const waitForEvents = (count: number) =>
    waitFor(`${count} events of the endpoint`, () => {
      const bodies = stage.receiver.bodies(watcher);
      return bodies.length >= count && bodies;
    });
  return { ...subscriber, received, setStatus, waitForEvents };
}

test('the tenant is told that an endpoint is paused by its answers, and that it has recovered', async () => {
  const { endpointId, received, setStatus, waitForEvents } = await aTenantWithAWatcher();
  await received(404, 5);
  const [paused] = await waitForEvents(1);
  expect(paused).toMatchObject({
    event: 'webhook.paused',
    payload: { endpointId, name: 'CRM', sessionId: null, reason: 'PERMANENT_4XX', consecutiveFailures: 5 },
  });
  // Five that have failed wait for their second attempt. Of the address nothing but the origin is told.
  expect(paused?.payload).toMatchObject({ held: 5, origin: stage.receiver.origin });
  expect(() => parseData(WebhookStateV1, paused?.payload)).not.toThrow();

  await setStatus('ACTIVE');
  await received(200);
  const [, recovered] = await waitForEvents(2);
  expect(recovered).toMatchObject({
    event: 'webhook.recovered',
    payload: { endpointId, reason: 'PERMANENT_4XX', consecutiveFailures: 5, since: paused?.payload['since'] },
  });
  await received(200, 2);
  expect(await waitForEvents(2)).toHaveLength(2);
});

test('a reactivation is no recovery: another pause comes first where everything still fails', async () => {
  const { endpointId, received, setStatus, waitForEvents } = await aTenantWithAWatcher();
  await setStatus('PAUSED');
  await setStatus('PAUSED');
  await setStatus('ACTIVE');
  await received(404, 4);
  await received(503);
  await setStatus('PAUSED');
  await setStatus('ACTIVE');
  await received(200);
  const events = await waitForEvents(3);
  expect(events.map(({ event, payload }) => [event, payload['reason'], payload['endpointId']])).toEqual([
    ['webhook.paused', 'REQUESTED', endpointId],
    ['webhook.paused', 'REQUESTED', endpointId],
    ['webhook.recovered', 'REQUESTED', endpointId],
  ]);
});

test('a success of an attempt from before the reactivation is no recovery', async () => {
  const { tenantId, deliveries, path, setStatus, received, waitForEvents } = await aTenantWithAWatcher();
  let answer: (status: number) => void = () => undefined;
  const late = new Promise<number>((resolve) => (answer = resolve));
  stage.receiver.answerWith((webhook) => (webhook.path === path ? late : 200));
  await stage.producer.received(tenantId);
  await waitFor('the slow attempt', () => stage.receiver.bodies(path).length === 1);
  await setStatus('PAUSED');
  await setStatus('ACTIVE');
  answer(200);
  await waitFor('its result', async () => (await deliveries())[0]?.status === 'DELIVERED');
  await setStatus('PAUSED');
  expect((await waitForEvents(2)).map(({ event }) => event)).toEqual(['webhook.paused', 'webhook.paused']);
  await setStatus('ACTIVE');
  await received(200);
  expect((await waitForEvents(3)).at(-1)?.event).toBe('webhook.recovered');
});

test('of its own pause an endpoint gets no event to be held: the log has it, and other endpoints; its recovery it hears of', async () => {
  const { tenantId, endpointId, path } = await stage.subscriber(['message.received', ...EVENTS]);
  const watcher = `${path}/watcher`;
  await stage.endpoint(tenantId, stage.at(watcher), EVENTS);
  const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
  await setStatus('PAUSED');
  await waitFor('the other endpoint to hear of it', () => stage.receiver.bodies(watcher).length === 1);
  const log = await stage.rpc.request(ReadEventLog, { tenantId, limit: 10 });
  expect(log.events.map(({ event }) => event)).toEqual(['webhook.paused']);
  expect(await stage.deliveries(tenantId, endpointId)).toEqual([]);
  await stage.producer.received(tenantId);
  await waitFor('the message to be held', async () =>
    (await stage.hot(tenantId)).some(({ state }) => state === 'held'),
  );
  await setStatus('ACTIVE');
  await waitFor('everything', () => stage.receiver.bodies(path).length === 2);
  const events = stage.receiver.bodies(path).map(({ event }) => event);
  expect(events).toEqual(['message.received', 'webhook.recovered']);
});

test('an endpoint that is bound to a session says so, and gets no news of others', async () => {
  const { tenantId, setStatus, waitForEvents } = await aTenantWithAWatcher();
  const sessionId = randomUUID();
  const events: PublicEvent[] = ['message.received', 'webhook.paused'];
  const bound = await stage.bind({ tenantId, sessionId, url: stage.at(`/bound/${tenantId}`), events });
  await setStatus('PAUSED');
  await waitForEvents(1);
  const endpointId = bound?.id ?? '';
  await stage.setStatus(tenantId, endpointId, 'PAUSED');
  const [, paused] = await waitForEvents(2);
  expect(paused?.payload).toMatchObject({ endpointId, sessionId });
  expect(await stage.deliveries(tenantId, endpointId)).toEqual([]);
});
