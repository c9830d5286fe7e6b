import { afterEach, beforeEach } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  GetTiers,
  GetTiersV1,
  MessageReceived,
  MessageSent,
  type OutboundMessageV1,
  SendMessage,
  type SendMessageV1,
  type TiersReply,
} from '@svc/contracts';
import {
  envelopeOf,
  type JetStreamOptions,
  JetStreamStrategy,
  Messaging,
  OnCommand,
  OnEvent,
  OnRequest,
} from '@svc/messaging';
import { bootService, loadConfig, ServiceConfig } from '@svc/service';
import { startTestNats, type TestNats } from '@svc/testing';
import { randomUUID } from 'node:crypto';

/** What the handlers of a small service do; a test sets it. */
export interface Script {
  sent?: (envelope: Envelope<OutboundMessageV1>) => Promise<void> | void;
  send?: (envelope: Envelope<SendMessageV1>) => Promise<void> | void;
  tiers?: (request: GetTiersV1) => Promise<TiersReply> | TiersReply;
}

/** A service with one handler of each kind, connected to a real nats-server. */
export interface SmallService {
  messaging: Messaging;
  strategy: JetStreamStrategy;
  close(): Promise<void>;
}

/** Of this test. */
export let nats: TestNats;
/** What is to be closed after this test. */
export const closing: (() => Promise<unknown>)[] = [];

/** Gives each test a nats-server of its own, and closes what it booted. */
export function withNats(): void {
  beforeEach(async () => {
    nats = await startTestNats();
  });
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
    await nats.stop();
  });
}

/** Boots a service for this test. */
export async function boot(script: Script, partitioned = false, app = 'shop'): Promise<SmallService> {
  const stream = partitioned ? 'commands' : 'events';
  const service = await bootSmallService(nats.url, script, { app, stream, partitioned });
  closing.push(() => service.close());
  return service;
}

/** Boots it with the filters, pipe and transports that every service has. */
export async function bootSmallService(
  natsUrl: string,
  script: Script,
  jetstream: JetStreamOptions,
): Promise<SmallService> {
  const messaging = await Messaging.connect({ url: natsUrl, name: jetstream.app });
  const strategy = new JetStreamStrategy(messaging, jetstream);

  @Controller()
  class Handlers {
    @OnEvent(MessageSent)
    async sent(@Payload() envelope: Envelope<OutboundMessageV1>): Promise<void> {
      await script.sent?.(envelope);
    }

    @OnEvent(MessageReceived)
    received(): void {
      throw new Error('A handler that nobody expects to be called.');
    }

    @OnCommand(SendMessage)
    async send(@Payload() envelope: Envelope<SendMessageV1>): Promise<void> {
      await script.send?.(envelope);
    }

    @OnRequest(GetTiers)
    async tiers(@Payload() request: GetTiersV1): Promise<TiersReply> {
      return (await script.tiers?.(request)) ?? { tiers: [] };
    }
  }

  @Module({
    controllers: [Handlers],
    providers: [
      { provide: Messaging, useValue: messaging },
      { provide: JetStreamStrategy, useValue: strategy },
    ],
  })
  class SmallModule {}

  const env = { DATABASE_URL: 'postgres://unused', NATS_URL: natsUrl, PORT: '0' };
  const config = loadConfig(ServiceConfig, env);
  const app = await bootService({
    name: jetstream.app,
    module: SmallModule,
    config: () => config,
    jetstream: true,
  });
  return { messaging, strategy, close: () => app.close() };
}

/** An event of a new tenant, unless said otherwise. */
export function aSentEvent(fields: { tenantId?: string; id?: string } = {}): Envelope<OutboundMessageV1> {
  const jobId = randomUUID();
  const data = {
    sessionId: randomUUID(),
    jobId,
    messageId: jobId,
    keyId: '3EB0C0FFEE',
    clientMessageId: null,
    to: '4915112345678@s.whatsapp.net',
    timestamp: new Date().toISOString(),
  };
  return envelopeOf(MessageSent, { tenantId: randomUUID(), ...fields }, data);
}

/** A command for this session. */
export function aSendCommand(sessionId: string, text = 'hello'): Envelope<SendMessageV1> {
  const data = {
    jobId: randomUUID(),
    sessionId,
    to: '4915112345678@s.whatsapp.net',
    content: { type: 'text' as const, text },
    clientMessageId: null,
    acceptedAt: new Date().toISOString(),
  };
  return envelopeOf(SendMessage, { tenantId: randomUUID() }, data);
}

/** What one durable consumer has still to do: handed out and not acked, and not handed out yet. */
export async function backlog(messaging: Messaging, stream: string, durable: string): Promise<number> {
  const info = await messaging.manager.consumers.info(stream, durable);
  return info.num_ack_pending + info.num_pending;
}

/** A copy in the dead-letter stream. */
export interface DeadLetter {
  subject: string;
  reason: { code: string; message: string };
  delivery: number;
  message: string;
}

/** The last dead letter of an app; undefined while there is none. */
export async function lastDeadLetter(messaging: Messaging, app: string): Promise<DeadLetter | undefined> {
  const message = await messaging.manager.streams
    .getMessage('DEAD', { last_by_subj: `dead.${app}` })
    .catch(() => null);
  return message?.json<DeadLetter>();
}

/** What a durable consumer of events answers from now on, as it goes over the wire. */
export function answersOf({ connection }: Messaging, durable: string): string[] {
  const answers: string[] = [];
  connection.subscribe(`$JS.ACK.EVENTS.${durable}.>`, {
    callback: (_, message) => void answers.push(message.string()),
  });
  return answers;
}

/** The answer that asks for the message again after a pause. */
export const askedAgainAfter = (ms: number): string => `-NAK ${JSON.stringify({ delay: ms * 1_000_000 })}`;
