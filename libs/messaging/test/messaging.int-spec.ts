import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  AppError,
  Envelope,
  MessageSent,
  type OutboundMessageV1,
  partitionOf,
  SendPermissionsChanged,
} from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import {
  aSendCommand,
  aSentEvent,
  answersOf,
  askedAgainAfter,
  backlog,
  boot,
  lastDeadLetter,
  type Script,
  type SmallService,
  withNats,
} from './small-service.js';

withNats();

const drained = (service: SmallService, durable = 'shop', stream = 'EVENTS') =>
  waitFor('everything to be acked', async () => (await backlog(service.messaging, stream, durable)) === 0);

describe('an event', () => {
  test('reaches its handler as a checked envelope, and is acked', async () => {
    const received: Envelope<OutboundMessageV1>[] = [];
    const shop = await boot({ sent: (envelope) => void received.push(envelope) });
    const event = aSentEvent();
    await shop.messaging.publishEvent(event);
    await waitFor('the event', () => received.length === 1);
    expect(received[0]).toBeInstanceOf(Envelope);
    expect(received[0]).toEqual(event);
    await drained(shop);
  });

  test('is heard once by each app, whichever of its instances', async () => {
    const received: string[] = [];
    const recordFor = (app: string): Script => ({ sent: ({ id }) => void received.push(`${app} ${id}`) });
    const shop = await boot(recordFor('shop'));
    await boot(recordFor('shop'));
    await boot(recordFor('till'), false, 'till');
    const events = Array.from({ length: 20 }, () => aSentEvent());
    for (const event of events) await shop.messaging.publishEvent(event);
    await waitFor('all of them', () => received.length >= 40);
    await drained(shop);
    await drained(shop, 'till');
    const expected = events.flatMap(({ id }) => [`shop ${id}`, `till ${id}`]);
    expect(received.toSorted()).toEqual(expected.toSorted());
  });

  test('published twice under one id is heard once', async () => {
    const received: string[] = [];
    const shop = await boot({ sent: ({ id }) => void received.push(id) });
    const event = aSentEvent();
    await shop.messaging.publishEvent(event);
    await shop.messaging.publishEvent(event);
    const last = aSentEvent();
    await shop.messaging.publishEvent(last);
    await waitFor('the last one', () => received.includes(last.id));
    expect(received).toEqual([event.id, last.id]);
  });

  test('that nobody in this app listens to is acked and no dead letter', async () => {
    const shop = await boot({});
    await shop.messaging.publishEvent({ ...aSentEvent(), type: 'message.delivered' });
    await drained(shop);
    expect(await lastDeadLetter(shop.messaging, 'shop')).toBeUndefined();
  });
});

describe('a handler that throws', () => {
  test.each([
    ['a retryable error', new AppError('UPSTREAM_UNAVAILABLE')],
    ['something unknown', new Error('a bug, perhaps')],
  ])('%s hears the message again, after a pause, until it succeeds', async (_, error) => {
    let calls = 0;
    const shop = await boot({
      sent: () => {
        if ((calls += 1) < 3) throw error;
      },
    });
    const answers = answersOf(shop.messaging, 'shop');
    await shop.messaging.publishEvent(aSentEvent());
    await drained(shop);
    await waitFor('the last answer', () => answers.includes('+ACK'));
    expect(calls).toBe(3);
    expect(answers).toEqual([askedAgainAfter(250), askedAgainAfter(1_000), '+ACK']);
    expect(await lastDeadLetter(shop.messaging, 'shop')).toBeUndefined();
  });

  test('a permanent error hears it once: a copy with the reason is kept, and the message is acked', async () => {
    let calls = 0;
    const shop = await boot({
      sent: () => {
        calls += 1;
        throw new AppError('TENANT_NOT_FOUND', 'No such tenant.');
      },
    });
    const event = aSentEvent();
    await shop.messaging.publishEvent(event);
    const dead = await waitFor('the dead letter', () => lastDeadLetter(shop.messaging, 'shop'));
    expect(dead).toMatchObject({
      subject: `evt.${partitionOf(event.tenantId)}.message.sent`,
      reason: { code: 'TENANT_NOT_FOUND', message: 'No such tenant.' },
      delivery: 1,
    });
    expect(JSON.parse(dead.message)).toEqual(event);
    await drained(shop);
    expect(calls).toBe(1);
  });

  test('does not hold up the messages behind it', async () => {
    const received: string[] = [];
    const bad = aSentEvent();
    const shop = await boot({
      sent: ({ id }) => {
        if (id === bad.id && received.length < 2) throw new AppError('UPSTREAM_TIMEOUT');
        received.push(id);
      },
    });
    const good = [aSentEvent(), aSentEvent()];
    for (const event of [bad, ...good]) await shop.messaging.publishEvent(event);
    await waitFor('all three', () => received.length === 3);
    expect(received).toEqual([...good.map(({ id }) => id), bad.id]);
  });
});

describe('a message that cannot be read', () => {
  test.each([
    ['of a version nobody knows', (event: object) => JSON.stringify({ ...event, version: 2 })],
    [
      'with data that break the contract',
      (event: object) => JSON.stringify({ ...event, data: { jobId: 7 } }),
    ],
    ['without an envelope', () => '{"type":"message.sent"}'],
    ['that is no JSON', () => '{"type":'],
  ])('%s goes to the dead letters as it came, and never to the handler', async (_, wire) => {
    let calls = 0;
    const shop = await boot({ sent: () => void (calls += 1) });
    const event = aSentEvent();
    await shop.messaging.jetstream.publish('evt.0.message.sent', wire(event));
    const dead = await waitFor('the dead letter', () => lastDeadLetter(shop.messaging, 'shop'));
    expect(dead).toMatchObject({ reason: { code: 'VALIDATION_FAILED' }, message: wire(event) });
    await drained(shop);
    expect(calls).toBe(0);
  });
});

describe('commands by partition', () => {
  const session = randomUUID();
  const partition = partitionOf(session);
  const durable = `shop-${partition}`;

  test('are heard by the owner of the partition only, in the order they were given', async () => {
    const mine: unknown[] = [];
    const others: unknown[] = [];
    const owner = await boot({ send: ({ data }) => void mine.push(data.content.text) }, true);
    const other = await boot({ send: ({ data }) => void others.push(data.content.text) }, true);
    owner.strategy.startPartition(partition);
    other.strategy.startPartition((partition + 1) % 64);
    const texts = Array.from({ length: 50 }, (_, i) => `text ${i}`);
    for (const text of texts) await owner.messaging.publishCommand(session, aSendCommand(session, text));
    await waitFor('all of them', () => mine.length === 50);
    expect(mine).toEqual(texts);
    expect(others).toEqual([]);
  });

  test('wait for an owner, and leave the queue when they are done', async () => {
    const received: string[] = [];
    const shop = await boot({ send: ({ data }) => void received.push(data.jobId) }, true);
    const command = aSendCommand(session);
    await shop.messaging.publishCommand(session, command);
    expect(received).toEqual([]);
    shop.strategy.startPartition(partition);
    shop.strategy.startPartition(partition);
    await waitFor('the command', () => received.length === 1);
    await waitFor('an empty queue', async () => {
      const { state } = await shop.messaging.manager.streams.info('COMMANDS');
      return state.messages === 0;
    });
    expect(received).toEqual([command.data.jobId]);
  });

  test('in flight end before the partition is given up; later ones wait for the next owner', async () => {
    const order: string[] = [];
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const first = await boot(
      {
        send: async () => {
          order.push('first owner begins');
          await slow;
          order.push('first owner ends');
        },
      },
      true,
    );
    const second = await boot({ send: () => void order.push('second owner') }, true);
    first.strategy.startPartition(partition);
    await first.messaging.publishCommand(session, aSendCommand(session));
    await waitFor('the handler to begin', () => order.length === 1);
    const stopped = first.strategy.stopPartition(partition).then(() => order.push('given up'));
    await first.messaging.publishCommand(session, aSendCommand(session));
    finish();
    await stopped;
    second.strategy.startPartition(partition);
    await waitFor('the second command', () => order.includes('second owner'));
    expect(order).toEqual(['first owner begins', 'first owner ends', 'given up', 'second owner']);
    await drained(second, durable, 'COMMANDS');
  });

  test('that nobody knows go to the dead letters instead of vanishing', async () => {
    const shop = await boot({}, true);
    shop.strategy.startPartition(partition);
    await shop.messaging.publishCommand(session, { ...aSendCommand(session), type: 'make-tea' });
    const dead = await waitFor('the dead letter', () => lastDeadLetter(shop.messaging, 'shop'));
    expect(dead).toMatchObject({
      reason: { code: 'VALIDATION_FAILED', message: 'Nobody carries this out.' },
    });
  });
});

test('a notice reaches everybody who listens at that moment, and nobody later', async () => {
  const [one, two] = [await boot({}), await boot({}, false, 'till')];
  const received: unknown[] = [];
  one.messaging.notify(SendPermissionsChanged, { of: '1' });
  for (const { messaging } of [one, two]) {
    messaging.onNotice(SendPermissionsChanged, (data) => received.push(data));
    await messaging.line.connection.flush();
  }
  one.messaging.notify(SendPermissionsChanged, { of: '2' });
  await waitFor('both', () => received.length === 2);
  expect(received).toEqual([{ of: '2' }, { of: '2' }]);
});

test('a notice that breaks its contract is passed over, and the next one is heard', async () => {
  const { messaging } = await boot({});
  const received: string[] = [];
  messaging.onNotice(SendPermissionsChanged, ({ of }) => received.push(of));
  for (const data of ['not JSON', '{"of":1}', '{"of":"2","later":true}'])
    messaging.line.connection.publish(SendPermissionsChanged.subject, data);
  await waitFor('the last one', () => received.length > 0);
  expect(received).toEqual(['2']);
});

test('copies of events are for everybody who listens at that moment, whoever else is handed them', async () => {
  const [one, two] = [await boot({}), await boot({}, false, 'till')];
  const received: string[] = [];
  for (const { messaging } of [one, two]) {
    messaging.onEventCopy(MessageSent, ({ tenantId }) => received.push(tenantId));
    await messaging.line.connection.flush();
  }
  const event = aSentEvent();
  await one.messaging.publishEvent(event);
  await waitFor('both', () => received.length === 2);
  expect(received).toEqual([event.tenantId, event.tenantId]);
});
