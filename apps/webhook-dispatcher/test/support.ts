import { randomBytes, randomUUID } from 'node:crypto';
import {
  CreateEndpoint,
  type Envelope,
  eventSubject,
  MessageReceived,
  type MessageReceivedV1,
  type PublicEvent,
  PutBoundEndpoint,
  type PutBoundEndpointV1,
  STREAMS,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { envelopeOf, Messaging, partitionOf, RpcClient } from '@svc/messaging';

/** Environment of a dispatcher under test: short schedule, local receivers allowed. */
export function dispatcherEnv(more: Record<string, string> = {}): Record<string, string> {
  return {
    SVC_MODE: 'development',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    WORKER_NAME: 'dispatcher-under-test',
    WEBHOOK_RETRY_DELAYS_MS: '0,50,100,150,200',
    WEBHOOK_TIMEOUT_MS: '1000',
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
    ...more,
  };
}

/** Data of a `message.received` of a session. */
export function aMessage(fields: Partial<MessageReceivedV1> = {}): MessageReceivedV1 {
  return {
    sessionId: randomUUID(),
    messageId: randomUUID(),
    remoteJid: '4915112345678@s.whatsapp.net',
    keyId: '3EB0',
    body: { type: 'text', text: 'hello' },
    pushName: 'Ada',
    phone: '+4915112345678',
    timestamp: '2026-01-31T12:00:00.000Z',
    fromMe: false,
    ...fields,
  };
}

/** Publishes like the owner of an event does. */
export class Producer {
  private constructor(private readonly messaging: Messaging) {}

  static async connect(url: string): Promise<Producer> {
    return new Producer(await Messaging.connect({ url, name: 'producer' }));
  }

  async received(tenantId: string, fields: Partial<MessageReceivedV1> = {}): Promise<Envelope> {
    const envelope = envelopeOf(MessageReceived, { tenantId }, aMessage(fields));
    await this.messaging.publishEvent(envelope);
    return envelope;
  }

  async publish(envelope: Envelope): Promise<void> {
    await this.messaging.publishEvent(envelope);
  }

  /** Publishes although JetStream has it already: as after its window of two minutes. */
  async publishAgain(envelope: Envelope): Promise<void> {
    const subject = eventSubject(partitionOf(envelope.tenantId), envelope.type);
    await this.messaging.jetstream.publish(subject, JSON.stringify(envelope));
  }

  /** Events of the tenant's partition that the dispatcher has been handed, or will be, and has not acked. */
  async unacked(tenantId: string): Promise<number> {
    const durable = `webhook-dispatcher-${partitionOf(tenantId)}`;
    const info = await this.messaging.manager.consumers.info(STREAMS.events, durable);
    return info.num_ack_pending + info.num_pending;
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }
}

/** Registers a tenant-wide endpoint. */
export async function anEndpoint(
  rpc: RpcClient,
  tenantId: string,
  url: string,
  events: PublicEvent[] = [],
): Promise<WebhookEndpointWithSecret> {
  return (await rpc.request(CreateEndpoint, { tenantId, name: 'CRM', url, events })).endpoint;
}

/** Puts the endpoint that is bound to a session; enables it unless told otherwise. */
export async function aBoundEndpoint(
  rpc: RpcClient,
  request: Partial<PutBoundEndpointV1> & { tenantId: string; sessionId: string },
): Promise<WebhookEndpointWithSecret | null> {
  return (await rpc.request(PutBoundEndpoint, { enabled: true, rotateSecret: false, ...request })).endpoint;
}
