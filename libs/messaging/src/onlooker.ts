import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, NoRespondersError } from '@nats-io/transport-node';
import { parseData, type RequestContract } from '@svc/contracts';
import { connectionOptions, type NatsAccess } from './access.js';

/** Time in which all processes of an app answer, in ms: nobody knows how many there are. */
const ANSWERED_WITHIN_MS = 3_000;

/** A durable consumer of a stream. */
export interface Durable {
  name: string;
  /** Messages that were not handed out yet. */
  pending: number;
  /** Some process asks for messages at this moment. */
  isRead: boolean;
}

/** Looks at a running installation for the person who operates it; it changes nothing. */
export class Onlooker {
  private constructor(private readonly connection: NatsConnection) {}

  /** Connects by a connection of its own. @throws Error when no server can be reached, or they refuse what it shows them. */
  static async connect(access: NatsAccess, name: string): Promise<Onlooker> {
    return new Onlooker(await connect(connectionOptions(access, name)));
  }

  /** Asks every process that answers this request (`Messaging.answer`), and returns what they say; nothing when there is none. */
  async askAll<Q extends object, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
  ): Promise<A[]> {
    const replies: A[] = [];
    try {
      const options = { strategy: 'timer', maxWait: ANSWERED_WITHIN_MS } as const;
      const answers = await this.connection.requestMany(contract.subject, JSON.stringify(request), options);
      for await (const answer of answers) replies.push(parseData(contract.reply, answer.json()));
    } catch (error) {
      if (!(error instanceof NoRespondersError)) throw error;
    }
    return replies;
  }

  /** Lists the durables of a stream; undefined when there is no such stream. */
  async durables(stream: string): Promise<Durable[] | undefined> {
    const manager = await jetstreamManager(this.connection, { timeout: 5_000, checkAPI: false });
    const found: Durable[] = [];
    try {
      for await (const { name, num_pending: pending, num_waiting: waiting } of manager.consumers.list(stream))
        found.push({ name, pending, isRead: waiting > 0 });
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === 404) return undefined;
      throw error;
    }
    return found;
  }

  /** Hangs up. */
  close(): Promise<void> {
    return this.connection.close();
  }
}
