import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AppError,
  Envelope,
  GetTiers,
  GetTiersV1,
  MessageSent,
  type OutboundMessageV1,
  type TiersReply,
} from '@svc/contracts';
import { envelopeOf, JetStreamStrategy, Messaging, OnEvent, OnRequest, RpcClient } from '@svc/messaging';
import { startTestNats, type TestNats, waitFor } from '@svc/test-servers';
import { QueryFailedError } from 'typeorm';
import { bootService, loadConfig, OpsServer, ServiceConfig } from '../src/index.js';

/** Handlers of the service; a test sets them. */
const script: { tiers: () => TiersReply; onSent: (id: string) => void } = {
  tiers: () => ({ tiers: [] }),
  onSent: () => undefined,
};

@Controller()
class Handlers {
  @OnRequest(GetTiers)
  tiers(@Payload() _: GetTiersV1): TiersReply {
    return script.tiers();
  }

  @OnEvent(MessageSent)
  onSent(@Payload() { id }: Envelope): void {
    script.onSent(id);
  }
}

/** Number of deliveries, more than those of a message whose handler fails for an unforeseen reason. */
const DELIVERIES = 25;
const DATABASE_AWAY = [
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('shutdown'), { code: '57P01' })),
  Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
];

let nats: TestNats;
let messaging: Messaging;
let rpc: RpcClient;
let close: () => Promise<void>;
/** Failures of the handler by the event; each was handed out often already. */
const events = new Map<string, Error>();
/** Answers of the consumer to the stream, as they go over the wire. */
const answers: string[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  messaging = await Messaging.connect({ url: nats.url, name: 'limits' });
  const durable = { durable_name: 'limits', ack_policy: 'explicit', filter_subject: 'evt.>' } as const;
  await messaging.manager.consumers.add('EVENTS', durable);
  const consumer = await messaging.jetstream.consumers.get('EVENTS', 'limits');
  for (const failure of DATABASE_AWAY) {
    const event = envelopeOf(MessageSent, { tenantId: randomUUID() }, aSentMessage());
    events.set(event.id, failure);
    await messaging.publishEvent(event);
  }
  for (let n = 0; n < DELIVERIES * events.size; n += 1) (await consumer.next())!.nak();
  script.onSent = (id) => {
    const failure = events.get(id);
    if (failure) throw failure;
  };
  await messaging.line.connection.flush();
  messaging.line.connection.subscribe('$JS.ACK.EVENTS.limits.>', {
    callback: (_, message) => void answers.push(message.string()),
  });
  close = await bootHandlers();
  rpc = RpcClient.of(messaging);
});
afterAll(async () => {
  await close();
  await messaging.onApplicationShutdown();
  await nats.stop();
});

async function bootHandlers(): Promise<() => Promise<void>> {
  const strategy = new JetStreamStrategy(messaging, { app: 'limits', stream: 'events', partitioned: false });
  @Module({
    controllers: [Handlers],
    providers: [
      { provide: JetStreamStrategy, useValue: strategy },
      { provide: Messaging, useValue: messaging },
      OpsServer,
    ],
  })
  class SmallModule {}
  const env = {
    DATABASE_URL: 'postgres://unused',
    NATS_URL: nats.url,
    SVC_MODE: 'development',
    OPS_PORT: '0',
  };
  const config = loadConfig(ServiceConfig, env);
  const options = { name: 'limits', module: SmallModule, config: () => config, jetstream: true };
  const app = await bootService(options);
  return () => app.close();
}

function aSentMessage(): OutboundMessageV1 {
  const jobId = randomUUID();
  return {
    ...{ sessionId: randomUUID(), jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null },
    ...{ to: '4915112345678@s.whatsapp.net', timestamp: new Date().toISOString() },
  };
}

const failWith = (error: Error): void => {
  script.tiers = () => {
    throw error;
  };
};
const ask = (sessionIds: string[] = [randomUUID()]) => rpc.request(GetTiers, { sessionIds });

test('a request that fails arrives with code, words and meta of the error', async () => {
  const meta = { sessionId: randomUUID() };
  failWith(new AppError('SESSION_STATE_CONFLICT', 'It is being deleted.', meta));
  const expected = {
    name: 'AppError',
    code: 'SESSION_STATE_CONFLICT',
    message: 'It is being deleted.',
    meta,
  };
  await expect(ask()).rejects.toMatchObject(expected);
});

test('a request that fails for an unknown reason is INTERNAL, and its words stay where they are', async () => {
  failWith(new Error('duplicate key value violates unique constraint "secret"'));
  const expected = { code: 'INTERNAL', message: 'Something went wrong on our side.', meta: {} };
  await expect(ask()).rejects.toMatchObject(expected);
});

test('a request that breaks the contract is refused by name of the field, before the handler', async () => {
  failWith(new AppError('SESSION_STATE_CONFLICT'));
  const expected = { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'sessionIds' }] } };
  await expect(ask(['x'])).rejects.toMatchObject(expected);
});

test('an event whose handler fails because the database is away is never given up', async () => {
  await waitFor('the answers', () => answers.length >= events.size);
  expect(answers.every((answer) => answer.startsWith('-NAK'))).toBe(true);
  const { state } = await messaging.manager.streams.info('DEAD');
  expect(state.messages).toBe(0);
});
