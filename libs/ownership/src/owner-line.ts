import { AppError, ownerSubject, parseData, type RequestContract } from '@svc/contracts';
import { type Messaging, unanswered } from '@svc/messaging';

/** Answers a question to the owner of a partition; what it throws goes back to the asker. */
type OwnerAnswer = (verb: string, question: unknown) => Promise<object>;

interface Packet {
  verb: string;
  question: unknown;
}

/**
 * Asks the instance of an app that owns a partition at this moment, for what nobody else can answer, and answers as the owner. Nothing
 * is stored: whoever asks gets an answer in bounded time, or an error.
 */
export class OwnerLine {
  private readonly lines = new Map<number, { drain(): Promise<void> }>();

  constructor(
    private readonly messaging: Messaging,
    private readonly app: string,
  ) {}

  /**
   * Asks the owner of a partition and checks the reply.
   * @throws AppError what the owner threw, or `UPSTREAM_UNAVAILABLE` (nobody owns it), `UPSTREAM_TIMEOUT`.
   */
  async ask<Q extends object, A extends object>(
    { subject, reply }: RequestContract<Q, A>,
    partition: number,
    question: Q,
    timeoutMs: number,
  ): Promise<A> {
    const packet: Packet = { verb: subject, question };
    const message = await this.messaging.line
      .ask(ownerSubject(this.app, partition), JSON.stringify(packet), { timeoutMs })
      .catch((error: unknown) => {
        throw unanswered(this.app, error);
      });
    const outcome = message.json<{ answer?: unknown; error?: unknown }>();
    if (outcome.error !== undefined) throw AppError.fromBody(outcome.error);
    return parseData(reply, outcome.answer);
  }

  /** Answers questions about a partition from now on: this process owns it. */
  open(partition: number, answer: OwnerAnswer): void {
    if (this.lines.has(partition)) return;
    // The awake one of a paused owner and its successor answers.
    const line = this.messaging.answer(ownerSubject(this.app, partition), (packet) => {
      const { verb, question } = packet as Packet;
      return outcomeOf(() => answer(verb, question));
    });
    this.lines.set(partition, line);
  }

  /** Answers no questions about a partition any more: another process owns it, or soon will. Those on their way here are answered still. */
  close(partition: number): void {
    // A mere unsubscription drops what the server sends before it knows: an asker would wait for nothing.
    this.lines
      .get(partition)
      ?.drain()
      .catch(() => undefined); // the connection is closed, and with it the line
    this.lines.delete(partition);
  }
}

async function outcomeOf(work: () => Promise<object>): Promise<{ answer: object } | { error: object }> {
  try {
    return { answer: await work() };
  } catch (error) {
    const appError =
      error instanceof AppError ? error : new AppError('INTERNAL', undefined, {}, { cause: error });
    return { error: appError.toBody() };
  }
}
