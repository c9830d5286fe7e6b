import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from '@jest/globals';
import { Catch, Controller, type INestMicroservice, Module, type RpcExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy, Payload, ServerNats } from '@nestjs/microservices';
import {
  AppError,
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
import { startTestNats, type TestNats } from '@svc/test-servers';
import { throwError } from 'rxjs';
import {
  envelopeOf,
  type JetStreamOptions,
  JetStreamStrategy,
  Messaging,
  OnCommand,
  OnEvent,
  OnRequest,
} from '../src/index.js';

/** Handlers of a small service; a test sets them. */
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

/** Server of this test. */
export let nats: TestNats;
/** Functions that close what this test has opened. */
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

/** Hands on what a handler threw as its body, as every service does. */
@Catch()
class ErrorBodies implements RpcExceptionFilter {
  catch(thrown: unknown): ReturnType<RpcExceptionFilter['catch']> {
    const error =
      thrown instanceof AppError ? thrown : new AppError('INTERNAL', undefined, {}, { cause: thrown });
    return throwError(() => error.toBody());
  }
}

async function startTransport(
  module: new () => object,
  strategy: CustomStrategy['strategy'],
): Promise<INestMicroservice> {
  const microservice = await NestFactory.createMicroservice<CustomStrategy>(module, {
    strategy,
    logger: false,
  });
  microservice.useGlobalFilters(new ErrorBodies());
  await microservice.listen();
  return microservice;
}

/** Boots it with one transport for events or commands and one for requests, and no more of what a service has. */
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

  @Module({ controllers: [Handlers] })
  class SmallModule {}

  const requests = new ServerNats({
    servers: [natsUrl],
    queue: jetstream.app,
    gracefulShutdown: true,
    gracePeriod: 500,
  });
  const transports = [
    await startTransport(SmallModule, strategy),
    await startTransport(SmallModule, requests),
  ];
  await requests.unwrap<{ flush(): Promise<void> }>().flush(); // a test may ask immediately after the start
  const close = async (): Promise<void> => {
    await Promise.all(transports.map((transport) => transport.close()));
    await messaging.onApplicationShutdown();
  };
  return { messaging, strategy, close };
}

/** Makes an event of a new tenant, unless said otherwise. */
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

/** Makes a command for this session. */
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

/** Counts the messages that one durable consumer has still to process: handed out and not acked, and not handed out yet. */
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

/** Reads the last dead letter of an app; undefined while there is none. */
export async function lastDeadLetter(messaging: Messaging, app: string): Promise<DeadLetter | undefined> {
  const message = await messaging.manager.streams
    .getMessage('DEAD', { last_by_subj: `dead.${app}` })
    .catch(() => null);
  return message?.json<DeadLetter>();
}

/** Collects the answers of a durable consumer of events from now on, as they go over the wire. */
export function answersOf({ line: { connection } }: Messaging, durable: string): string[] {
  const answers: string[] = [];
  connection.subscribe(`$JS.ACK.EVENTS.${durable}.>`, {
    callback: (_, message) => void answers.push(message.string()),
  });
  return answers;
}

/** Writes the answer that asks for the message again after a pause. */
export const askedAgainAfter = (ms: number): string => `-NAK ${JSON.stringify({ delay: ms * 1_000_000 })}`;
