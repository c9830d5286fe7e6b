import { randomUUID } from 'node:crypto';
import {
  type Envelope,
  eventSubject,
  MessageReceived,
  type MessageReceivedV1,
  type NoticeContract,
  partitionOf,
  STREAMS,
} from '@svc/contracts';
import { type DeadLetter, envelopeOf, Messaging } from '@svc/messaging';
import { natsConnectionOf } from '@svc/testing';

/** Makes the data of a `message.received` of a session. */
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

  /** Publishes what need not be an event at all. */
  async publishRaw(tenantId: string, body: string): Promise<void> {
    await this.messaging.jetstream.publish(eventSubject(partitionOf(tenantId), MessageReceived.name), body);
  }

  /** Collects the dead letters of the dispatcher from here on. */
  async collectDead(): Promise<DeadLetter[]> {
    const messages: DeadLetter[] = [];
    const connection = natsConnectionOf(this.messaging);
    connection.subscribe('dead.webhook-dispatcher', {
      callback: (error, message) => void (!error && messages.push(message.json<DeadLetter>())),
    });
    await connection.flush();
    return messages;
  }

  /** Collects the events of this type that are published from here on, of any tenant. */
  async collect(type: string): Promise<Envelope[]> {
    const messages: Envelope[] = [];
    const connection = natsConnectionOf(this.messaging);
    connection.subscribe(`evt.*.${type}`, {
      callback: (error, message) => void (!error && messages.push(message.json<Envelope>())),
    });
    await connection.flush();
    return messages;
  }

  /** Subscribes to notices, from here on. */
  async notices<T extends object>(notice: NoticeContract<T>, listener: (data: T) => void): Promise<void> {
    this.messaging.onNotice(notice, listener);
    await natsConnectionOf(this.messaging).flush();
  }

  /** Counts the events of the tenant's partition that the dispatcher has been handed, or will be, and has not acked. */
  async unacked(tenantId: string): Promise<number> {
    const durable = `webhook-dispatcher-${partitionOf(tenantId)}`;
    const info = await this.messaging.manager.consumers.info(STREAMS.events, durable);
    return info.num_ack_pending + info.num_pending;
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }
}

/** Subject of an event that no erasure is about. */
export const NOBODY = { contacts: [], at: new Date(), toThem: true };
