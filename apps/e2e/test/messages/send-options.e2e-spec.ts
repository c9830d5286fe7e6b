import { beforeAll, expect, test } from '@jest/globals';
import { type DeliveryBody, waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { expectError, stackOfRun, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;
type JobEvent = DeliveryBody & { payload: Record<string, unknown> };

/** Waits for the webhook of this event of a job and returns its body. */
const eventOfJob = (event: string, jobId: unknown): Promise<JobEvent> =>
  waitFor(
    event,
    () =>
      receiver
        .get()
        .received.map(({ raw }) => JSON.parse(raw.toString('utf8')) as JobEvent)
        .find((body) => body.event === event && body.payload['jobId'] === jobId),
    LONG,
  );
const texts = async (actor: Actor, contact: string): Promise<unknown[]> =>
  (await actor.inbox(contact)).map(({ text }) => text);
const send = (actor: Actor, to: string, text: string, more: object): Promise<Answer> =>
  actor.api('POST', '/v1/messages', { sessionId: actor.sessionId, to: `+${to}`, text, ...more });
const cancel = (actor: Actor, jobId: unknown): Promise<Answer> =>
  actor.api('POST', `/v1/messages/${String(jobId)}/cancel`);
const used = async (actor: Actor): Promise<unknown> => {
  const { body } = await actor.api('GET', `/v1/sessions/${actor.sessionId}/limits`);
  return (body['session'] as { used: number }).used;
};
const reaches = (actor: Actor, status: string): Promise<unknown> =>
  waitFor(
    status,
    async () => (await actor.api('GET', `/v1/sessions/${actor.sessionId}`)).body['status'] === status,
    LONG,
  );

test('what is sent while the session is away goes out in order when it is back; what was canceled does not', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const contact = inventPhone();
  await actor.api('POST', `/v1/sessions/${actor.sessionId}/disconnect`);
  await reaches(actor, 'DISCONNECTED');
  expectError(await send(actor, contact, 'not now', {}), 400, 'SESSION_NOT_CONNECTED');
  const queue = (text: string) =>
    send(actor, contact, text, { onDisconnected: 'queue', queueForSeconds: 600, metadata: { text } });
  const jobs = [];
  for (const text of ['one', 'never', 'two']) jobs.push((await queue(text)).body['jobId']);
  expect(await used(actor)).toBe(3);
  const failure = { code: 'CANCELED', givenBack: ['session', 'plan'] };
  expect(await cancel(actor, jobs[1])).toMatchObject({ status: 200, body: { status: 'FAILED', failure } });
  expect(await eventOfJob('message.failed', jobs[1])).toMatchObject({
    payload: { metadata: { text: 'never' }, failure },
  });
  await waitFor('the unit to come back', async () => (await used(actor)) === 2);
  await actor.api('POST', `/v1/sessions/${actor.sessionId}/connect`);
  await waitFor('both texts', async () => (await texts(actor, contact)).length === 2, LONG);
  expect(await texts(actor, contact)).toEqual(['one', 'two']);
  for (const [n, text] of [[0, 'one'] as const, [2, 'two'] as const]) {
    expect(await eventOfJob('message.delivered', jobs[n])).toMatchObject({ payload: { metadata: { text } } });
  }
  expectError(await cancel(actor, jobs[0]), 409, 'MESSAGE_STATE_CONFLICT');
});

test('a text goes out at its time and takes its unit then; one that was canceled before does neither', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const contact = inventPhone();
  const sendAt = new Date(Date.now() + 4_000).toISOString();
  const scheduled = await send(actor, contact, 'good morning', { sendAt, metadata: { campaign: 'spring' } });
  const dropped = await send(actor, contact, 'never', { sendAt });
  expect(scheduled).toMatchObject({ status: 200, body: { status: 'QUEUED', sendAt } });
  expect(await cancel(actor, dropped.body['jobId'])).toMatchObject({ status: 200 });
  expect(await used(actor)).toBe(0);
  expect(await texts(actor, contact)).toEqual([]);
  const { payload } = await eventOfJob('message.sent', scheduled.body['jobId']);
  expect(payload).toMatchObject({ metadata: { campaign: 'spring' } });
  expect(Date.parse(String(payload['timestamp']))).toBeGreaterThanOrEqual(Date.parse(sendAt));
  expect(await used(actor)).toBe(1);
  const log = await actor.api<{ items: { payload: object }[] }>('GET', '/v1/events?event=message.sent');
  expect(log.body.items).toMatchObject([{ payload: { metadata: { campaign: 'spring' } } }]);
  expect(await texts(actor, contact)).toEqual(['good morning']);
});
