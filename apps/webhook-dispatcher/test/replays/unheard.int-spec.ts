import { beforeAll, describe, expect, test } from '@jest/globals';
import { MessagePollVote, MessageReceived, type PublicEvent, UpdateEndpoint } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { aMessage } from '../producer.js';
import { Stage } from '../stage.js';
import { replaysOn } from './replays-on.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const { replayOne, withDeadLetters, start, begun, ended } = replaysOn(stage);

describe('a replay of many', () => {
  test('leaves out what the endpoint does not hear any more, and does not count it', async () => {
    const subscriber = await stage.subscriber(['message.received']);
    const { tenantId, endpointId, delivered, posts } = subscriber;
    const hear = (own: boolean) =>
      stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, hears: { own } });
    await hear(true);
    await stage.producer.received(tenantId, { fromMe: true });
    await stage.producer.received(tenantId);
    await delivered(2);
    await hear(false);
    expect(await start(subscriber, { dryRun: true })).toEqual({ total: 1, replay: null });
    expect(await ended(subscriber, await begun(subscriber))).toMatchObject({ total: 1, done: 1 });
    expect(posts()).toHaveLength(3);
    await hear(true);
    expect(await ended(subscriber, await begun(subscriber))).toMatchObject({ total: 2, done: 2 });
  });

  test('leaves out events that the endpoint does not name any more, and does not count them', async () => {
    const subscriber = await stage.subscriber(['message.received', 'message.poll_vote']);
    const { tenantId, endpointId, delivered, posts } = subscriber;
    const name = (...events: PublicEvent[]) =>
      stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, events });
    const vote = envelopeOf(MessageReceived, { tenantId }, aMessage());
    await stage.producer.publish({ ...vote, type: MessagePollVote.name });
    await stage.producer.received(tenantId);
    await delivered(2);
    // Votes have to be named.
    for (const events of [[], ['message.received', 'message.sent']] as PublicEvent[][]) {
      await name(...events);
      stage.receiver.received.length = 0;
      expect(await start(subscriber, { dryRun: true })).toMatchObject({ total: 1 });
      expect(await start(subscriber, { dryRun: true, event: 'message.poll_vote' })).toMatchObject({
        total: 0,
      });
      expect(await ended(subscriber, await begun(subscriber))).toMatchObject({ total: 1, done: 1 });
      expect(stage.receiver.bodies().map(({ event }) => event)).toEqual([MessageReceived.name]);
    }
    await name('message.sent');
    expect(await ended(subscriber, await begun(subscriber))).toMatchObject({ state: 'DONE', total: 0 });
    expect(posts()).toHaveLength(1);
  });

  test('goes on without what the endpoint has stopped hearing meanwhile', async () => {
    const subscriber = await withDeadLetters(60);
    const { tenantId, endpointId, hot, posts } = subscriber;
    const answer = stage.holdBack();
    const replay = await begun(subscriber);
    await waitFor('the window', async () => (await hot()).length === 32);
    await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, events: ['message.sent'] });
    answer();
    expect(await ended(subscriber, replay)).toMatchObject({ state: 'DONE', total: 32, done: 32 });
    expect(posts()).toHaveLength(32);
  });
});

describe('a replay of one delivery', () => {
  test('goes out also where the endpoint does not hear it any more', async () => {
    const { tenantId, endpointId, delivered, posts } = await stage.subscriber(['message.received']);
    await stage.producer.received(tenantId, { isGroup: true });
    const [{ deliveryId } = { deliveryId: '' }] = await delivered(1);
    const change = { tenantId, endpointId, events: ['message.sent' as const], hears: { groups: false } };
    await stage.rpc.request(UpdateEndpoint, change);
    await replayOne(tenantId, deliveryId);
    await waitFor('the replay', () => posts().length === 2);
    expect(posts()).toEqual([deliveryId, deliveryId]);
  });
});
