import type { Subscription } from '@nats-io/transport-node';
import { AppError, ownerSubject, parseData, type RequestContract } from '@svc/contracts';
import { unanswered } from './line.js';
import type { Messaging } from './messaging.js';
import { partitionOf } from './partition.js';

/** Answers a question that came over the line; what it throws goes back to whoever asked. */
export type OwnerAnswer = (verb: string, question: unknown) => Promise<object>;

interface Packet {
  verb: string;
  question: unknown;
}

/**
 * Asks the instance of an app that owns a partition at this moment, for what nobody else can answer, and answers as the owner. Nothing
 * is stored: whoever asks gets an answer in bounded time, or an error.
 */
export class OwnerLine {
  private readonly lines = new Map<number, Subscription>();

  constructor(
    private readonly messaging: Messaging,
    private readonly app: string,
  ) {}

  /**
   * Asks the owner of the session's partition and checks the reply.
   * @throws AppError what the owner threw, or `UPSTREAM_UNAVAILABLE` (nobody owns it), `UPSTREAM_TIMEOUT`.
   */
  async ask<Q extends { sessionId: string }, A extends object>(
    { subject, reply }: RequestContract<Q, A>,
    question: Q,
    timeoutMs: number,
  ): Promise<A> {
    const packet: Packet = { verb: subject, question };
    const owner = this.subject(partitionOf(question.sessionId));
    const message = await this.messaging.line
      .ask(owner, JSON.stringify(packet), { timeoutMs })
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
    // No queue group: of a paused owner and the one that took over, the one that is awake answers.
    const subscription = this.messaging.connection.subscribe(this.subject(partition), {
      callback: (error, message) => {
        if (error) return;
        const { verb, question } = message.json<Packet>();
        void outcomeOf(() => answer(verb, question)).then((outcome) =>
          message.respond(JSON.stringify(outcome)),
        );
      },
    });
    this.lines.set(partition, subscription);
  }

  /** Answers no questions about a partition any more: somebody else owns it. */
  close(partition: number): void {
    this.lines.get(partition)?.unsubscribe();
    this.lines.delete(partition);
  }

  private subject(partition: number): string {
    return ownerSubject(this.app, partition);
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
