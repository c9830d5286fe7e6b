import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MessageReceived, partitionOf } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { PartitionOwner } from '@svc/ownership';
import { ErasedContacts } from '@svc/service';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import type { AttemptResult } from '../../src/attempts/attempt-result.js';
import { DeliveryRepository } from '../../src/lanes/delivery.repository.js';
import type { QueuedDelivery } from '../../src/lanes/queued-delivery.js';
import { ResultRepository } from '../../src/attempts/result.repository.js';
import { EndpointDirectory } from '../../src/endpoints/endpoint-directory.js';
import { EventRepository } from '../../src/events/event.repository.js';
import { aMessage, NOBODY } from '../producer.js';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,100,150,200' });
beforeAll(() => stage.boot());

/** Gives a partition to another owner; returns the new epoch. */
async function steal(partition: number): Promise<number> {
  const [lease] = await stage.database.query<{ epoch: number }>(
    `UPDATE webhooks.partition_lease SET owner = 'somebody else', epoch = epoch + 1,
      expires_at = now() + interval '1 hour' WHERE partition = $1 RETURNING epoch::int`,
    [partition],
  );
  return lease?.epoch ?? 0;
}

const giveBack = (partition: number) =>
  stage.database.query('UPDATE webhooks.partition_lease SET expires_at = now() WHERE partition = $1', [
    partition,
  ]);

type Place = Pick<QueuedDelivery, 'id' | 'endpointId' | 'tenantId' | 'partition' | 'epoch' | 'attempt'>;

const anItem = (place: Place): QueuedDelivery => ({
  ...{ ...place, eventId: randomUUID(), replay: false, conversation: 0 },
  ...{ kind: 'message.received', payload: Buffer.from('{}') },
});

const aSuccess = (item: QueuedDelivery): AttemptResult => ({
  ...{ item, startedAt: new Date(), durationMs: 1, status: 200, error: null, head: Buffer.alloc(0) },
  ...{
    endedAtMs: performance.now(),
    retryInMs: undefined,
    generation: 1,
    recovering: false,
    newSecretUntil: null,
  },
});

/** Makes a delivery whose first attempt has failed and whose next one is far away. */
async function aFailure() {
  const { tenantId, endpointId, hot, delivery } = await stage.subscriber();
  stage.receiver.answerWith(503);
  await stage.producer.received(tenantId);
  const id = await waitFor('the failure', async () => {
    const [row] = await hot();
    return row?.state === 'scheduled' && row.id;
  });
  return { id, tenantId, endpointId, delivery, partition: partitionOf(tenantId) };
}

describe('a restart', () => {
  test('takes over retries and deliveries under way with their ids', async () => {
    const { tenantId, deliveries, delivered, hot } = await stage.subscriber();
    stage.receiver.answerWith(503);
    await stage.producer.received(tenantId);
    await waitFor('the failure', async () => (await deliveries())[0]?.attempts.length === 1);
    await stage.close();
    await stage.database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE tenant_id = $1', [
      tenantId,
    ]);
    // The row is as a crash leaves it: in the memory of a process that is no more.
    const [row] = await hot();
    await stage.database.query(`UPDATE webhooks.webhook_delivery SET state = 'leased' WHERE id = $1`, [
      row?.id,
    ]);
    stage.receiver.answerWith(200);
    await stage.producer.received(tenantId, { keyId: 'while it was away' });
    await stage.boot();
    const retried = (await delivered(2)).find(({ deliveryId }) => deliveryId === row?.id);
    expect(retried?.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 200],
    ]);
  });

  test('finishes what is under way before it stops', async () => {
    const { tenantId, delivery, hot, posts } = await stage.subscriber();
    const open = stage.holdBack();
    await stage.producer.received(tenantId);
    await waitFor('the attempt', () => posts().length === 1);
    const closed = stage.close();
    open();
    await closed;
    expect(await hot()).toEqual([]);
    await stage.boot();
    expect(await delivery('DELIVERED')).toMatchObject({ attempts: [{ attempt: 1 }] });
    expect(posts()).toHaveLength(1);
  });
});

describe('an owner that lost its lease', () => {
  test('writes no result, takes nothing in, and the next owner sends again with the same id', async () => {
    const { tenantId, deliveries, delivered, hot, posts } = await stage.subscriber();
    const open = stage.holdBack();
    await stage.producer.received(tenantId);
    await waitFor('the attempt', () => posts().length === 1);
    const partition = partitionOf(tenantId);
    await steal(partition);
    open();
    const [before] = await hot();
    await stage.producer.received(tenantId, { keyId: 'second' });
    const owner = stage.get(PartitionOwner);
    await waitFor('the loss to be noticed', () => owner.epochOf(partition) === undefined, PATIENCE_MS);
    expect(await hot()).toEqual([{ ...before, state: 'leased', attempt: 1 }]);
    expect((await deliveries())[0]?.attempts).toEqual([]);

    await giveBack(partition);
    await delivered(2);
    expect(posts().filter((id) => id === before?.id)).toHaveLength(2);
    expect(posts()).toHaveLength(3);
  });

  test('while endpoints are asked gives their events no place', async () => {
    const { tenantId, posts } = await stage.subscriber();
    stage.get(EndpointDirectory).forget(tenantId);
    const [partition, owner] = [partitionOf(tenantId), stage.get(PartitionOwner)];
    const slow = stage.get(DataSource).createQueryRunner();
    await slow.startTransaction();
    try {
      await slow.query('LOCK TABLE webhook_endpoint');
      const taking = stage.handIn(envelopeOf(MessageReceived, { tenantId }, aMessage()));
      const refused = expect(taking).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'webhooks.webhook_endpoint'::regclass`;
      await waitFor('the question', async () => (await stage.database.query(waiting)).length > 0);
      owner.lost(owner.fenceOf(partition)!);
      await slow.commitTransaction();
      await refused;
    } finally {
      await slow.release();
      await giveBack(partition);
    }
    expect(posts()).toEqual([]);
  });

  test('of an old epoch changes nothing through any statement', async () => {
    const { id, tenantId, endpointId, partition } = await aFailure();
    // The owner does not notice: it believes in its epoch until the next renewal.
    const epoch = (await steal(partition)) - 1;
    await stage.database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE id = $1', [id]);
    const dump = () =>
      stage.database.query(
        `SELECT to_jsonb(d) AS delivery, (SELECT count(*) FROM webhooks.webhook_attempt) AS attempts,
          (SELECT count(*) FROM webhooks.webhook_event) AS events FROM webhooks.webhook_delivery d WHERE id = $1`,
        [id],
      );
    const before = await dump();
    const deliveries = stage.get(DeliveryRepository);
    expect(
      await deliveries.claim([
        { partition, epoch, endpointId, tenantId, firsts: 10, retries: 10, total: 10 },
      ]),
    ).toEqual({ items: [], nextRetryMs: new Map() });
    expect(await deliveries.release([{ partition, epoch }])).toBe(0);
    const item = anItem({ id, endpointId, tenantId, partition, epoch, attempt: 2 });
    await deliveries.hold(item, endpointId, [item.id]);
    await stage.get(ResultRepository).record([aSuccess(item)]);
    const routed = {
      event: { ...item, sessionId: null, id: item.eventId, aspects: [], persons: NOBODY },
      epoch,
      deliveries: [{ item: { ...item, id: randomUUID() }, state: 'leased' as const }],
    };
    const outcome = await stage.get(EventRepository).commit([routed]);
    expect([...outcome.partitions]).toEqual([]);
    expect([...outcome.unwritten]).toEqual([item.eventId]);
    expect(await dump()).toEqual(before);
    await giveBack(partition);
  });
});

test('a result of an old epoch does not hide that of the present one, in whichever order they came', async () => {
  for (const order of [1, -1]) {
    const { id, tenantId, endpointId, partition, delivery } = await aFailure();
    const epoch = stage.get(PartitionOwner).epochOf(partition) ?? 0;
    const results = [epoch - 1, epoch].map((epoch) =>
      aSuccess(anItem({ id, endpointId, tenantId, partition, epoch, attempt: 2 })),
    );
    await stage
      .get(ResultRepository)
      .record(results.toSorted((a, b) => order * (a.item.epoch - b.item.epoch)));
    expect((await delivery('DELIVERED')).attempts).toHaveLength(2);
  }
});

test('a statement that is not committed yet keeps a take-over out, and no renewal waiting', async () => {
  const { tenantId } = await stage.subscriber();
  const partition = partitionOf(tenantId);
  // A test before this one may have given the same partition away: its owner has it again when both agree.
  const owned = `SELECT epoch::int FROM webhooks.partition_lease WHERE partition = $1`;
  const epoch = await waitFor('the partition', async () => {
    const [lease] = await stage.database.query<{ epoch: number }>(owned, [partition]);
    return lease?.epoch === stage.get(PartitionOwner).epochOf(partition) && lease?.epoch;
  });
  const content = { kind: 'message.received', conversation: 0, payload: Buffer.from('{}') };
  const event = {
    id: randomUUID(),
    tenantId,
    sessionId: null,
    partition,
    aspects: [],
    persons: NOBODY,
    ...content,
  };
  const expiry = async (): Promise<number> => {
    const sql = 'SELECT expires_at AS at FROM webhooks.partition_lease WHERE partition = $1';
    return (await stage.database.query<{ at: Date }>(sql, [partition]))[0]?.at.getTime() ?? 0;
  };
  const takeable = async (): Promise<boolean> => {
    const sql = 'SELECT FROM webhooks.partition_lease WHERE partition = $1 FOR UPDATE SKIP LOCKED';
    return (await stage.database.query(sql, [partition])).length > 0;
  };
  const slow = stage.get(DataSource).createQueryRunner();
  await slow.startTransaction();
  try {
    const events = new EventRepository(slow as unknown as DataSource, stage.get(ErasedContacts));
    const { partitions } = await events.commit([{ event, epoch, deliveries: [] }]);
    expect([...partitions]).toEqual([partition]);
    const before = await expiry();
    await waitFor('the renewal', async () => (await expiry()) > before, PATIENCE_MS);
    expect(await takeable()).toBe(false);
  } finally {
    await slow.rollbackTransaction();
    await slow.release();
  }
  expect(await takeable()).toBe(true);
});

test('a delivery whose commit was not heard is found and sent', async () => {
  const subscriber = await stage.subscriber();
  const id = await stage.orphan(subscriber);
  await subscriber.delivery('DELIVERED');
  const bodies = stage.receiver.bodies(subscriber.path);
  expect(bodies).toEqual([{ event: 'message.received', deliveryId: id, payload: {} }]);
});

test('a delivery under way whose event comes again is not taken for one that nobody looks after', async () => {
  const { tenantId, posts, delivered } = await stage.subscriber();
  const other = `/other/${tenantId}`;
  const { id: endpointId } = await stage.endpoint(tenantId, stage.at(other), ['webhook.paused']);
  const open = stage.holdBack();
  const chat = { sessionId: randomUUID() };
  const event = await stage.producer.received(tenantId, chat);
  await waitFor('the POST', () => posts().length === 1);
  await stage.producer.publishAgain(event);
  await waitFor('the repeat to be taken', async () => (await stage.producer.unacked(tenantId)) === 0);
  // The other delivery has been looked at as well by the time that this one is found.
  await stage.orphan({ tenantId, endpointId });
  await waitFor('the one that nobody looks after', () => stage.receiver.bodies(other).length === 1);
  open();
  await stage.producer.received(tenantId, chat);
  await delivered(2);
  expect(posts()).toHaveLength(2);
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${stage.opsUrl}/health/${probe}`)).status).toBe(200);
  }
});
