import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import { type Actor, inventPhone } from '../../stack/actor.js';
import { MODEL_KEY } from '../../stack/answering-numbers.js';
import type { Stack } from '../../stack/stack.js';
import type { Moments } from './stages.js';
import { type Asked, type Answering, momentsOf } from './turn-records.js';

/** Time after which an answer that has not come counts as missing. */
const ANSWER_LIMIT_MS = 180_000;

/** The result of a round. */
export interface Round {
  /** Answered turns. */
  turns: Moments[];
  missing: number;
}

/** Load of turns: contacts of several numbers ask at a fixed rate, each once in a round, whatever became of those before. */
export class TurnLoad {
  private readonly contacts: { actor: Actor; contact: string }[];
  private round = 0;
  private cursor = 0;
  private asked = 0;
  /** Number of messages that contacts had before the first round. */
  private before: number | undefined;

  constructor(
    actors: readonly Actor[],
    count: number,
    private readonly answerTo: Answering,
  ) {
    this.contacts = Array.from({ length: count }, (_, n) => ({
      actor: actors[n % actors.length] as Actor,
      contact: inventPhone(),
    }));
  }

  /** Has each contact ask once, so many a second, and waits for the answers. */
  async play(perSecond: number): Promise<Round> {
    const { stack } = (this.contacts[0] as { actor: Actor }).actor;
    this.round += 1;
    this.before ??= await receivedIn(stack);
    const asked = await this.ask(perSecond);
    this.asked += asked.length;
    const isAnswered = async (): Promise<boolean> => {
      await delay(200); // the simulator counts all messages
      // Answers of earlier rounds that come late must not stand for those of this one.
      return (await receivedIn(stack)) - (this.before ?? 0) >= this.asked;
    };
    await waitFor('every answer', isAnswered, ANSWER_LIMIT_MS).catch(() => undefined); // missing ones are counted
    const { items, cursor } = await stack.platform<{ items: []; cursor: number }>(
      'GET',
      `/llm/keys/${MODEL_KEY}/calls?since=${this.cursor}`,
    );
    this.cursor = cursor;
    const turns = await momentsOf(asked, items, this.answerTo);
    return { turns, missing: asked.length - turns.length };
  }

  private async ask(perSecond: number): Promise<Asked[]> {
    const startedAt = Date.now();
    const begun = performance.now();
    const underWay: Promise<void>[] = [];
    const asked: Asked[] = [];
    for (const [n, { actor, contact }] of this.contacts.entries()) {
      const due = (n * 1_000) / perSecond;
      const wait = begun + due - performance.now();
      if (wait > 0) await delay(wait);
      const question = `question ${this.round}-${n}`;
      asked.push({ actor, contact, question, written: startedAt + due });
      underWay.push(actor.write(contact, question));
    }
    await Promise.all(underWay);
    return asked;
  }
}

async function receivedIn(stack: Stack): Promise<number> {
  return (await stack.platform<{ received: number }>('GET', '/messages/summary')).received;
}
