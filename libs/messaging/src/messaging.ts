import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import {
  AppError,
  type CommandContract,
  commandSubject,
  deadLetterSubject,
  type Envelope,
  eventSubject,
  type EventContract,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import { STEADY_CONNECTION } from './connection.js';
import { partitionOf } from './partition.js';
import { ensureStreams } from './streams.js';

/** How to reach NATS. */
export interface MessagingOptions {
  url: string;
  /** Connection name: the app. */
  name: string;
}

/** What an event or command says about itself besides its data. */
export interface EnvelopeFields {
  tenantId: string;
  /** Give a deterministic id where a repeat must be recognised; a random one otherwise. */
  id?: string;
  occurredAt?: string;
  traceparent?: string;
}

/** Makes the envelope of an event or command. */
export function envelopeOf<T extends object>(
  contract: EventContract<T> | CommandContract<T>,
  fields: EnvelopeFields,
  data: T,
): Envelope<T> {
  return {
    id: fields.id ?? uuidv7(),
    type: contract.name,
    version: contract.version,
    tenantId: fields.tenantId,
    occurredAt: fields.occurredAt ?? new Date().toISOString(),
    ...(fields.traceparent ? { traceparent: fields.traceparent } : {}),
    data,
  };
}

/** The process's connection to NATS: publishes events, commands and plain notices. */
export class Messaging {
  private connected = true;

  private constructor(
    readonly connection: NatsConnection,
    readonly jetstream: JetStreamClient,
    readonly manager: JetStreamManager,
  ) {
    void this.followStatus();
  }

  /** Connects, waiting for a server that is not there yet, and makes sure the streams exist. */
  static async connect({ url, name }: MessagingOptions): Promise<Messaging> {
    const connection = await connect({
      servers: url,
      name,
      waitOnFirstConnect: true,
      ...STEADY_CONNECTION,
    });
    const manager = await jetstreamManager(connection, { timeout: 5_000, checkAPI: false });
    await streamsReady(manager);
    return new Messaging(connection, jetstream(connection, { timeout: 5_000 }), manager);
  }

  /**
   * Publishes an event and waits until JetStream has it.
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the row it came from stays, a sweeper tries again.
   */
  async publishEvent(envelope: Envelope): Promise<void> {
    await this.publish(eventSubject(partitionOf(envelope.tenantId), envelope.type), envelope, envelope.id);
  }

  /** Publishes a command to the owner of the session's partition; failures as for `publishEvent`. */
  async publishCommand(sessionId: string, envelope: Envelope): Promise<void> {
    await this.publish(
      commandSubject(partitionOf(sessionId), envelope.type, sessionId),
      envelope,
      envelope.id,
    );
  }

  /** Keeps a copy of what an app cannot process, with the reason. */
  async publishDeadLetter(app: string, copy: object): Promise<void> {
    await this.publish(deadLetterSubject(app), copy, undefined);
  }

  /** Tells every instance that listens, without storing anything; lost when nobody does. */
  notify(subject: string, data: object = {}): void {
    this.connection.publish(subject, JSON.stringify(data));
  }

  /** Hears what `notify` says. */
  onNotice(subject: string, listener: (data: unknown) => void): Subscription {
    return this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) listener(message.json());
      },
    });
  }

  /** True while the connection is up; readiness asks. */
  isConnected(): boolean {
    return this.connected && !this.connection.isClosed();
  }

  /** Called by Nest at shutdown: sends what is buffered, then closes. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.connection.isClosed()) await this.connection.drain();
  }

  /** The connection itself does not tell: it names its last server while it tries to reach it again. */
  private async followStatus(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.connected = false;
      if (type === 'reconnect') this.connected = true;
    }
  }

  private async publish(subject: string, body: object, msgID: string | undefined): Promise<void> {
    try {
      // The client drops what is written before it is connected again, and then waits for an answer in vain.
      if (!this.isConnected()) throw new Error('NATS is not connected.');
      await this.jetstream.publish(subject, JSON.stringify(body), msgID ? { msgID } : {});
    } catch (error) {
      throw new AppError('UPSTREAM_UNAVAILABLE', `Could not publish to ${subject}.`, {}, { cause: error });
    }
  }
}

/** A server that has just started answers before JetStream does. */
async function streamsReady(manager: JetStreamManager): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ensureStreams(manager);
    } catch (error) {
      if (attempt === 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
