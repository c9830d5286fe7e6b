import {
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  PubHeaders,
} from '@nats-io/jetstream';
import {
  connect,
  headers,
  InvalidArgumentError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import {
  AppError,
  type CommandContract,
  commandSubject,
  deadLetterSubject,
  type Envelope,
  eventSubject,
  type EventContract,
  eventSubjectOfAll,
  type NoticeContract,
  parseData,
  partitionOf,
  readEnvelope,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import { connectionOptions, type NatsAccess } from './access.js';
import type { DeadLetter } from './dead-letters.js';
import { EventReaders } from './event-readers.js';
import { Line } from './line.js';
import { Streams } from './streams.js';

/** JetStream says within this time that it has what was published. */
const TAKEN_WITHIN_MS = 5_000;

/** Access to NATS, and the name of this process there. */
export interface MessagingOptions extends NatsAccess {
  /** Connection name: the app. */
  name: string;
  /** Replicas of each stream that it creates; 1 by default, which is all that a single server can do. */
  streamReplicas?: number;
}

/** Fields of an event or command besides its data. */
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
  private readonly logger = new Logger(Messaging.name);

  private constructor(
    readonly line: Line,
    readonly jetstream: JetStreamClient,
    readonly manager: JetStreamManager,
    readonly streams: Streams,
    readonly eventReaders = new EventReaders(manager),
  ) {}

  /**
   * Connects, waiting for a server that is not there yet, and makes sure the streams exist.
   * @throws AuthorizationError when the servers refuse what it shows them; Error when TLS is wanted and none of them offers it.
   */
  static async connect({ name, streamReplicas, ...access }: MessagingOptions): Promise<Messaging> {
    const connection = await connect({ ...connectionOptions(access, name), waitOnFirstConnect: true });
    const manager = await jetstreamManager(connection, { timeout: 5_000, checkAPI: false });
    const streams = new Streams(manager, streamReplicas);
    await streamsReady(streams).catch(async (error: unknown) => {
      await connection.close();
      throw error;
    });
    return new Messaging(
      new Line(connection, name),
      jetstream(connection, { timeout: TAKEN_WITHIN_MS }),
      manager,
      streams,
    );
  }

  /**
   * Publishes an event and waits until JetStream has it.
   * @returns its number in the stream.
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the row it came from stays, a sweeper tries again. `PAYLOAD_TOO_LARGE`: the server will never
   * take it.
   */
  async publishEvent(envelope: Envelope): Promise<number> {
    return this.publish(eventSubject(partitionOf(envelope.tenantId), envelope.type), envelope, envelope.id);
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
  async publishDeadLetter(app: string, copy: DeadLetter): Promise<void> {
    await this.publish(deadLetterSubject(app), copy, undefined);
  }

  /** Sends a notice to every instance that listens, without storing anything; lost when nobody does. */
  notify<T extends object>({ subject }: NoticeContract<T>, data: T): void {
    this.connection.publish(subject, JSON.stringify(data));
  }

  /** Calls the listener with each notice; one that breaks its contract is logged and dropped. */
  onNotice<T extends object>(
    { subject, data }: NoticeContract<T>,
    listener: (data: T) => void,
  ): Subscription {
    return this.listen(subject, (plain) => listener(parseData(data, plain)));
  }

  /**
   * Calls the listener with a copy of each event as it is published. Nothing is stored for it and nothing comes again: for what
   * only has to be sooner than the next look.
   */
  onEventCopy({ name }: EventContract, listener: (envelope: Envelope) => void): Subscription {
    return this.listen(eventSubjectOfAll(name), (plain) => listener(readEnvelope(plain)));
  }

  private listen(subject: string, take: (plain: unknown) => void): Subscription {
    return this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        try {
          take(message.json());
        } catch (cause) {
          this.logger.warn(`${subject} is passed over: ${String(cause)}`);
        }
      },
    });
  }

  /**
   * Answers what comes under a subject, in JSON; every process that does so answers for itself. One that is not JSON, or that `answer`
   * throws over, is logged and dropped.
   */
  answer(subject: string, answer: (question: unknown) => Promise<object>): Subscription {
    return this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) void this.respond(message, answer);
      },
    });
  }

  private async respond(message: Msg, answer: (question: unknown) => Promise<object>): Promise<void> {
    try {
      message.respond(JSON.stringify(await answer(message.json())));
    } catch (cause) {
      this.logger.warn(`${message.subject} is passed over: ${String(cause)}`);
    }
  }

  private get connection(): NatsConnection {
    return this.line.connection;
  }

  /** Says whether the connection is up; readiness asks. */
  isConnected(): boolean {
    return this.line.isConnected();
  }

  /** Sends what is buffered, then closes; Nest calls it at shutdown. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.connection.isClosed()) await this.connection.drain();
  }

  private async publish(subject: string, body: object, msgID: string | undefined): Promise<number> {
    try {
      const options = { timeoutMs: TAKEN_WITHIN_MS, ...(msgID ? { headers: headersOf(msgID) } : {}) };
      const answer = await this.line.ask(subject, JSON.stringify(body), options);
      const { error, seq } = answer.json<{ error?: { description: string }; seq: number }>();
      if (error) throw new Error(error.description);
      return seq;
    } catch (error) {
      // The client's own refusal, before anything is sent.
      const code = error instanceof InvalidArgumentError ? 'PAYLOAD_TOO_LARGE' : 'UPSTREAM_UNAVAILABLE';
      throw new AppError(code, `Could not publish to ${subject}.`, {}, { cause: error });
    }
  }
}

/** Makes the headers by which the stream recognises a repeat. */
function headersOf(msgID: string): MsgHdrs {
  const made = headers();
  made.set(PubHeaders.MsgIdHdr, msgID);
  return made;
}

/** Waits for JetStream: a server that has just started answers before it does. */
async function streamsReady(streams: Streams): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await streams.ensure();
    } catch (error) {
      if (attempt === 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
