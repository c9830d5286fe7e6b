import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NoRespondersError,
  TimeoutError,
} from '@nats-io/transport-node';
import { AppError } from '@svc/contracts';
import { inboxOf } from './access.js';

/** Time limit of a question, and the headers that go with it. */
export interface AskOptions {
  timeoutMs: number;
  headers?: MsgHdrs;
}

/** A question whose answer has not come. */
interface Open {
  subject: string;
  /** Number that distinguishes this question from an earlier one in the same slot. */
  sequence: number;
  timer: NodeJS.Timeout;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

const NO_RESPONDERS = 503;

/**
 * Asks questions over one connection to NATS, and knows its state. It is in place of the client's own `request`, which makes an error object, with
 * its stack, for each question that is answered, and keeps questions in a `Map`: what is in there when the map outgrows its table stays
 * in memory until the next full garbage collection. Here each has a slot in an array, and leaves nothing there.
 */
export class Line {
  private connected = true;
  private readonly inbox: string;
  private readonly slots: (Open | undefined)[] = [];
  private readonly free: number[] = [];
  private sequence = 0;

  /**
   * @param connection is also used by the other classes of this lib, and by tests (`natsConnectionOf`); services have `Messaging`.
   * @param name the app, whose inbox it is.
   */
  constructor(
    readonly connection: NatsConnection,
    name: string,
  ) {
    this.inbox = createInbox(inboxOf(name));
    connection.subscribe(`${this.inbox}.>`, {
      callback: (error, answer) => {
        // The server may have refused: this user may not receive answers. The subscription is gone with it.
        if (error) this.hangUp(error);
        else this.receive(answer);
      },
    });
    void this.followStatus();
    void connection.closed().then(() => this.hangUp(new Error('The connection to NATS was closed.')));
  }

  /** Says whether the connection is up. */
  isConnected(): boolean {
    return this.connected && !this.connection.isClosed();
  }

  /**
   * Sends data, and waits for the first answer.
   * @throws TimeoutError, NoRespondersError (nobody listens), or Error (not connected at this moment).
   */
  ask(subject: string, data: string, { timeoutMs, headers }: AskOptions): Promise<Msg> {
    return new Promise((resolve, reject) => {
      // The client drops what it is given while it connects; and what is asked while it drains is answered to nobody.
      if (!this.isConnected() || this.connection.isDraining()) throw new Error('NATS is not connected.');
      const slot = this.free.pop() ?? this.slots.length;
      const sequence = (this.sequence += 1);
      const timer = setTimeout(() => this.close(slot)?.reject(new TimeoutError()), timeoutMs);
      this.slots[slot] = { subject, sequence, timer, resolve, reject };
      try {
        const reply = `${this.inbox}.${slot}.${sequence}`;
        this.connection.publish(subject, data, headers ? { reply, headers } : { reply });
      } catch (error) {
        this.close(slot);
        throw error; // for example: it is longer than the server takes
      }
    });
  }

  private receive(answer: Msg): void {
    const [slot, sequence] = answer.subject
      .slice(this.inbox.length + 1)
      .split('.')
      .map(Number) as [number, number];
    if (this.slots[slot]?.sequence !== sequence) return; // the answer to a question that was given up
    const question = this.close(slot);
    const isUnheard = answer.data.length === 0 && answer.headers?.code === NO_RESPONDERS;
    if (isUnheard) question?.reject(new NoRespondersError(question.subject));
    else question?.resolve(answer);
  }

  private close(slot: number): Open | undefined {
    const question = this.slots[slot];
    clearTimeout(question?.timer);
    this.slots[slot] = undefined;
    this.free.push(slot);
    return question;
  }

  private hangUp(error: Error): void {
    for (const [slot, question] of this.slots.entries()) if (question) this.close(slot)?.reject(error);
  }

  /** Follows the status: the connection itself does not say it, and names its last server while it tries to reach it again. */
  private async followStatus(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.connected = false;
      if (type === 'reconnect') this.connected = true;
    }
  }
}

/** Makes the error of a question to an app that `Line.ask` could not get answered. */
export function unanswered(app: string, cause: unknown): AppError {
  if (cause instanceof TimeoutError)
    return new AppError('UPSTREAM_TIMEOUT', `${app} did not answer in time.`, { app }, { cause });
  // The subject has no listener, or there is no connection at this moment: the same to the caller.
  return new AppError('UPSTREAM_UNAVAILABLE', `${app} is not available.`, { app }, { cause });
}
