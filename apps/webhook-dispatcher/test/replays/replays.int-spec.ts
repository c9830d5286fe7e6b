import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CancelReplay, DeleteEndpoint, type DeliveryView, GetDelivery } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage, type Subscriber } from '../stage.js';
import { replaysOn } from './replays-on.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const { replayOne, withDeadLetters, start, progress, begun, ended } = replaysOn(stage);

const attemptsOf = ({ attempts }: DeliveryView) =>
  attempts.map(({ attempt, status, replay }) => [attempt, status, replay]);

const FIVE_FAILURES = [1, 2, 3, 4, 5].map((attempt) => [attempt, 500, false]);

describe('a replay of one delivery', () => {
  test('is shown with every attempt before it; a list shows the latest twenty', async () => {
    const { tenantId, delivery } = await stage.subscriber(['message.received']);
    stage.receiver.answerWith(500);
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DEAD');
    stage.receiver.answerWith(200);
    const numbers = Array.from({ length: 22 }, (_, index) => index + 1);
    for (const n of numbers.slice(5)) {
      await replayOne(tenantId, deliveryId);
      const replayed = async (): Promise<boolean> =>
        (await delivery('DELIVERED')).attempts.at(-1)?.attempt === n;
      await waitFor('the replay', replayed);
    }
    const shown = (await stage.rpc.request(GetDelivery, { tenantId, deliveryId })).delivery.attempts;
    expect(shown.map(({ attempt }) => attempt)).toEqual(numbers);
    const heads = shown.filter(({ responseHead }) => responseHead !== undefined);
    expect(heads.map(({ attempt }) => attempt)).toEqual(numbers.slice(2));
    const listed = (await delivery('DELIVERED')).attempts;
    expect(listed.map(({ attempt }) => attempt)).toEqual(numbers.slice(2));
  });

  test('sends the same id and bytes once more, of a dead one and of one that was delivered', async () => {
    const { tenantId, delivery, posts } = await stage.subscriber(['message.received']);
    stage.receiver.answerWith(500);
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DEAD');
    stage.receiver.answerWith(200);
    expect(await replayOne(tenantId, deliveryId)).toMatchObject({ deliveryId, deadReason: null });
    expect(attemptsOf(await delivery('DELIVERED'))).toEqual([...FIVE_FAILURES, [6, 200, true]]);
    await replayOne(tenantId, deliveryId);
    const again = await waitFor('the second replay', async () => {
      const one = await delivery('DELIVERED');
      return one.attempts.length === 7 && one;
    });
    expect(attemptsOf(again).slice(5)).toEqual([
      [6, 200, true],
      [7, 200, true],
    ]);
    expect(new Set(posts())).toEqual(new Set([deliveryId]));
    expect(new Set(stage.receiver.received.map(({ raw }) => raw.toString('hex'))).size).toBe(1);
    expect(new Set(stage.receiver.received.map(({ headers }) => headers['x-svc-signature'])).size).toBe(7);
  });

  test('is one attempt: a dead letter that fails is one again, what was delivered stays delivered', async () => {
    const { tenantId, delivery, deliveries, posts, hot } = await stage.subscriber(['message.received']);
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DELIVERED');
    stage.receiver.answerWith(503);
    await replayOne(tenantId, deliveryId);
    const failed = await waitFor('the failure', async () => {
      const one = await delivery('DELIVERED');
      return one.attempts.length === 2 && one;
    });
    expect(attemptsOf(failed)).toEqual([
      [1, 200, false],
      [2, 503, true],
    ]);
    expect(await hot()).toEqual([]);
    expect(await deliveries(true)).toEqual([]);

    const other = await withDeadLetters(1);
    stage.receiver.answerWith(404);
    const dead = await other.delivery('DEAD');
    await replayOne(other.tenantId, dead.deliveryId);
    const deadAgain = await waitFor('the failure', async () => {
      const one = await other.delivery('DEAD');
      return one.attempts.length === 6 && one;
    });
    expect(deadAgain.deadReason).toBe('HTTP_404');
    expect(attemptsOf(deadAgain)).toEqual([...FIVE_FAILURES, [6, 404, true]]);
    expect(await other.hot()).toEqual([]);
    expect([posts().length, other.posts().length]).toEqual([0, 1]);
  });

  test('is refused while the delivery is on its way, waits while the endpoint is paused', async () => {
    const { tenantId, endpointId, delivery } = await stage.subscriber(['message.received']);
    const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
    const answer = stage.holdBack();
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('PENDING');
    const conflict = { code: 'DELIVERY_STATE_CONFLICT', meta: { deliveryId } };
    await expect(replayOne(tenantId, deliveryId)).rejects.toMatchObject(conflict);
    answer();
    await delivery('DELIVERED');
    await setStatus('PAUSED');
    await replayOne(tenantId, deliveryId);
    expect((await delivery('HELD')).attempts).toHaveLength(1);
    await expect(replayOne(tenantId, deliveryId)).rejects.toMatchObject(conflict);
    await setStatus('ACTIVE');
    expect(attemptsOf(await delivery('DELIVERED'))).toEqual([
      [1, 200, false],
      [2, 200, true],
    ]);
  });

  test("of another tenant is forbidden, of nobody not found, of a deleted endpoint the endpoint's absence", async () => {
    const { tenantId, endpointId, delivery } = await stage.subscriber(['message.received']);
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DELIVERED');
    await expect(replayOne(randomUUID(), deliveryId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(replayOne(tenantId, randomUUID())).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
    await stage.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    await expect(replayOne(tenantId, deliveryId)).rejects.toMatchObject({ code: 'ENDPOINT_NOT_FOUND' });
    expect((await stage.rpc.request(GetDelivery, { tenantId, deliveryId })).delivery.status).toBe(
      'DELIVERED',
    );
  });

  test('is refused, and left out of a replay of many, where it had a hundred attempts', async () => {
    const { tenantId, endpointId, deliveries } = await withDeadLetters(2);
    const [full, other] = (await deliveries(true)) as [DeliveryView, DeliveryView];
    await stage.database.query(
      `INSERT INTO webhooks.webhook_attempt (delivery_id, n, endpoint_id, event_id, seq, started_at, ms, status, err_code, kind, event_at, delivered)
       SELECT delivery_id, made.n + 1, endpoint_id, event_id, seq, started_at, ms, status, err_code, kind, event_at, false
       FROM webhooks.webhook_attempt, generate_series(5, 99) AS made (n) WHERE delivery_id = $1 AND webhook_attempt.n = 1`,
      [full.deliveryId],
    );
    await expect(replayOne(tenantId, full.deliveryId)).rejects.toMatchObject({
      ...{ code: 'QUOTA_CONFLICT', message: 'A delivery may have 100 attempts: it is not sent again.' },
      meta: { quota: 'attempts', limit: 100, used: 100 },
    });
    const subscriber = { tenantId, endpointId } as Subscriber;
    const replay = await ended(subscriber, await begun(subscriber));
    expect(replay).toMatchObject({ state: 'DONE', total: 1, done: 1 });
    const dead = await deliveries(true);
    expect(dead.map(({ deliveryId }) => deliveryId)).toEqual([full.deliveryId]);
    expect(stage.receiver.bodies().map(({ deliveryId }) => deliveryId)).toEqual([other.deliveryId]);
  });

  test('asked for by ten at once is one attempt', async () => {
    const subscriber = await withDeadLetters(1);
    const { deliveryId } = await subscriber.delivery('DEAD');
    const answer = stage.holdBack();
    const asked = Array.from({ length: 10 }, () => replayOne(subscriber.tenantId, deliveryId));
    const results = await Promise.allSettled(asked);
    answer();
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await subscriber.delivery('DELIVERED')).attempts).toHaveLength(6);
    expect(subscriber.posts()).toHaveLength(1);
  });
});

describe('a replay of many', () => {
  test('counts first, then replays every dead letter once, oldest first, more than are on their way at a time', async () => {
    const subscriber = await withDeadLetters(100);
    expect(await start(subscriber, { status: 'DEAD', dryRun: true })).toEqual({ total: 100, replay: null });
    expect(stage.receiver.received).toEqual([]);
    const replay = await begun(subscriber, { status: 'DEAD' });
    expect(replay).toMatchObject({ state: 'RUNNING', total: 100, failed: 0, finishedAt: null });
    expect(await ended(subscriber, replay)).toMatchObject({
      state: 'DONE',
      total: 100,
      done: 100,
      failed: 0,
    });
    await subscriber.delivered(100);
    expect(new Set(subscriber.posts()).size).toBe(100);
    expect(subscriber.posts()).toHaveLength(100);
    expect(await start(subscriber, { status: 'DEAD', dryRun: true })).toMatchObject({ total: 0 });
  });

  test('says how many failed; these are dead letters again, and the next replay has them', async () => {
    const subscriber = await withDeadLetters(9);
    stage.receiver.answerWith(() => (stage.receiver.received.length % 3 === 0 ? 500 : 200));
    const first = await ended(subscriber, await begun(subscriber, { status: 'DEAD' }));
    expect(first).toMatchObject({ state: 'DONE', total: 9, done: 6, failed: 3 });
    expect(Date.parse(first.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first.createdAt));
    const dead = await subscriber.deliveries(true);
    expect(dead.map(({ attempts }) => attempts.length)).toEqual([6, 6, 6]);
    stage.receiver.answerWith(200);
    expect(await ended(subscriber, await begun(subscriber, { status: 'DEAD' }))).toMatchObject({
      done: 3,
      failed: 0,
    });
    expect(await subscriber.deliveries(true)).toEqual([]);
  });

  test('takes what its filters match: status, event, time', async () => {
    const subscriber = await withDeadLetters(2);
    // The events follow each other after their deliveries, so that they have different times.
    for (const [index, keyId] of ['2', '3', '4'].entries()) {
      await stage.producer.received(subscriber.tenantId, { keyId });
      await waitFor('the delivery', async () => {
        const all = await subscriber.deliveries();
        return all.filter(({ status }) => status === 'DELIVERED').length === index + 1;
      });
    }
    const [newest, , third] = await subscriber.deliveries();
    const range = { since: third?.createdAt ?? '', until: newest?.createdAt ?? '' };
    const counts = [];
    for (const filter of [
      {},
      { status: 'DEAD' as const },
      { status: 'DELIVERED' as const },
      { event: 'message.read' as const },
      { event: 'message.received' as const, ...range },
      { status: 'DEAD' as const, ...range },
    ]) {
      counts.push((await start(subscriber, { ...filter, dryRun: true })).total);
    }
    expect(counts).toEqual([5, 2, 3, 0, 2, 0]);
    stage.receiver.received.length = 0;
    expect(await ended(subscriber, await begun(subscriber, range))).toMatchObject({ total: 2, done: 2 });
    expect(stage.keyIds(subscriber.path).sort()).toEqual(['2', '3']);
    expect(await subscriber.deliveries(true)).toHaveLength(2);
  });

  test('leaves alone what is delivered while it runs', async () => {
    const subscriber = await withDeadLetters(40);
    const answer = stage.holdBack();
    const replay = await begun(subscriber);
    await waitFor('the first', () => subscriber.posts().length > 0);
    for (let i = 0; i < 5; i += 1) await stage.producer.received(subscriber.tenantId, { keyId: `live ${i}` });
    answer();
    expect(await ended(subscriber, replay)).toMatchObject({ total: 40, done: 40 });
    await subscriber.delivered(45);
    expect(subscriber.posts()).toHaveLength(45);
  });

  test('has a bounded number on their way, so that live traffic goes between', async () => {
    const subscriber = await withDeadLetters(120);
    const answer = stage.holdBack();
    await begun(subscriber, { status: 'DEAD' });
    await waitFor('the first', () => subscriber.posts().length > 0);
    const rows = await waitFor('the window', async () => {
      const hot = await subscriber.hot();
      return hot.length >= 32 && hot;
    });
    expect(rows).toHaveLength(32);
    await stage.producer.received(subscriber.tenantId, { keyId: 'live' });
    answer();
    await waitFor('the live one', () => stage.keyIds(subscriber.path).includes('live'), PATIENCE_MS);
    expect(stage.keyIds(subscriber.path).indexOf('live')).toBeLessThan(64);
    await subscriber.delivered(121);
  });

  test('runs once at a time per endpoint, waits while it is paused, and ends with it', async () => {
    const subscriber = await withDeadLetters(3);
    const { tenantId, endpointId } = subscriber;
    await stage.setStatus(tenantId, endpointId, 'PAUSED');
    const replay = await begun(subscriber, { status: 'DEAD' });
    await waitFor('all to be held', async () => {
      const all = await subscriber.deliveries();
      return all.length === 3 && all.every(({ status }) => status === 'HELD');
    });
    await expect(start(subscriber)).rejects.toMatchObject({
      code: 'REPLAY_CONFLICT',
      meta: { replayId: replay.id },
    });
    expect(await progress(subscriber, replay.id)).toMatchObject({
      state: 'RUNNING',
      total: 3,
      done: 0,
      failed: 0,
    });
    expect(subscriber.posts()).toEqual([]);
    await stage.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    expect(await ended(subscriber, replay)).toMatchObject({ state: 'CANCELED', done: 0 });
  });

  test('can be canceled: what is on its way arrives, nothing more, and the next replay may begin', async () => {
    const subscriber = await withDeadLetters(100);
    const { tenantId } = subscriber;
    const answer = stage.holdBack();
    const { id: replayId } = await begun(subscriber, { status: 'DEAD' });
    await waitFor('the window', async () => (await subscriber.hot()).length === 32);
    const cancel = async () => (await stage.rpc.request(CancelReplay, { tenantId, replayId })).replay;
    const canceled = await cancel();
    expect(canceled).toMatchObject({ state: 'CANCELED', total: 32 });
    expect(canceled.finishedAt).not.toBeNull();
    answer();
    await waitFor('these', async () => (await progress(subscriber, replayId)).done === 32, PATIENCE_MS);
    const next = await begun(subscriber, { status: 'DEAD' });
    expect(await ended(subscriber, next)).toMatchObject({ state: 'DONE', total: 68, done: 68 });
    expect(subscriber.posts()).toHaveLength(100);
    expect(await cancel()).toMatchObject({ state: 'CANCELED', done: 32, finishedAt: canceled.finishedAt });
    const stranger = { tenantId: randomUUID(), replayId };
    await expect(stage.rpc.request(CancelReplay, stranger)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test("of another tenant's endpoint is forbidden, and so is the look at it", async () => {
    const subscriber = await withDeadLetters(1);
    const stranger = { ...subscriber, tenantId: randomUUID() };
    for (const dryRun of [true, false]) {
      await expect(start(stranger, { dryRun })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    const replay = await begun(subscriber);
    await expect(progress(stranger, replay.id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(progress(subscriber, randomUUID())).rejects.toMatchObject({ code: 'REPLAY_NOT_FOUND' });
    await ended(subscriber, replay);
  });
});
