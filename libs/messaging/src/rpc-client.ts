import { connect } from '@nats-io/transport-node';
import { AppError, parseData, type RequestContract } from '@svc/contracts';
import { connectionOptions, type NatsAccess } from './access.js';
import { Line, unanswered } from './line.js';
import type { Messaging } from './messaging.js';

/** A reply as Nest's NATS transport, which answers, wraps it. */
interface Packet {
  err?: unknown;
  response?: unknown;
}

/** Marks a packet as a request for Nest's NATS transport. Answers are told apart by the subject on which they come back. */
const ID = '1';

/** Sends requests to other services, whose handlers are Nest's (`OnRequest`). */
export class RpcClient {
  private constructor(
    private readonly line: () => Line | Promise<Line>,
    private readonly hangUp: () => Promise<void>,
  ) {}

  /** Makes a client that uses the connection of this process. */
  static of(messaging: Messaging): RpcClient {
    return new RpcClient(
      () => messaging.line,
      () => Promise.resolve(), // its maker closes it
    );
  }

  /** Makes a client with a connection of its own, which the first request opens. */
  static at(access: NatsAccess, name: string): RpcClient {
    let made: Promise<Line> | undefined;
    const line = (): Promise<Line> =>
      (made ??= ownLine(access, name).catch((error: unknown) => {
        made = undefined; // the next request tries again
        throw error;
      }));
    return new RpcClient(line, async () => (await made?.catch(() => undefined))?.connection.close());
  }

  /**
   * Sends the request to any instance of the app and checks the reply.
   * @param timeoutMs 5 seconds by default.
   * @throws AppError what the other side threw, or `UPSTREAM_UNAVAILABLE` (nobody listens), `UPSTREAM_TIMEOUT`.
   */
  async request<Q extends object, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
    timeoutMs = 5_000,
  ): Promise<A> {
    const { err, response } = await this.ask(contract.subject, request, timeoutMs).catch((error: unknown) => {
      throw unanswered(contract.app, error);
    });
    if (err) throw AppError.fromBody(err);
    return checkReply(contract, response);
  }

  /** Closes the connection; Nest calls it at shutdown. */
  onApplicationShutdown(): Promise<void> {
    return this.hangUp();
  }

  private async ask(pattern: string, data: object, timeoutMs: number): Promise<Packet> {
    const line = await this.line();
    const reply = await line.ask(pattern, JSON.stringify({ pattern, data, id: ID }), { timeoutMs });
    return reply.json<Packet>();
  }
}

async function ownLine(access: NatsAccess, name: string): Promise<Line> {
  return new Line(await connect(connectionOptions(access, name)), name);
}

/** Checks a reply. One that breaks its contract is a fault between services: never the `VALIDATION_FAILED` of the asker. */
function checkReply<A extends object>(contract: RequestContract<object, A>, reply: unknown): A {
  try {
    return parseData(contract.reply, reply);
  } catch (cause) {
    throw new AppError('INTERNAL', undefined, {}, { cause });
  }
}
