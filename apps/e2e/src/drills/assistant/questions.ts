import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, inventPhone } from '../../stack/actor.js';

/** Contacts asked about at the same time. */
const AT_A_TIME = 20;

/** Outcome of questions, over all contacts. */
export interface AnswerFigures {
  asked: number;
  /** Contacts without the whole answer. */
  missing: number;
  /** Contacts who have a part twice. */
  twice: number;
  outOfOrder: number;
  /** Contacts who were told something else. */
  others: number;
}

/** A contact who asks one question. */
interface Asker {
  actor: Actor;
  contact: string;
  question: string;
}

/** Answer of the model in two parts, of which `Questions` count each. */
export const TWO_PARTS = 'First to {text}\n\nSecond to {text}';

/** Questions of contacts, each of another one. */
export class Questions {
  private readonly askers: Asker[];

  /** @param textOf makes the text of a question from its number; no two may be the same. */
  constructor(
    actors: readonly Actor[],
    count: number,
    textOf: (number: number) => string = (number) => `question ${number}`,
  ) {
    this.askers = Array.from({ length: count }, (_, number) => {
      const actor = actors[number % actors.length] as Actor;
      return { actor, contact: inventPhone(), question: textOf(number) };
    });
  }

  /** Has all of them ask, so many a second. */
  async ask(perSecond: number): Promise<void> {
    for (const { actor, contact, question } of this.askers) {
      await actor.write(contact, question);
      await delay(1_000 / perSecond);
    }
  }

  /** Counts those who have not the whole answer. */
  async unanswered(): Promise<number> {
    return (await this.count()).missing;
  }

  async count(): Promise<AnswerFigures> {
    const figures = { asked: this.askers.length, missing: 0, twice: 0, outOfOrder: 0, others: 0 };
    for (let from = 0; from < this.askers.length; from += AT_A_TIME)
      await Promise.all(this.askers.slice(from, from + AT_A_TIME).map((asker) => judge(asker, figures)));
    return figures;
  }
}

async function judge({ actor, contact, question }: Asker, figures: AnswerFigures): Promise<void> {
  const inbox = await actor.inbox(contact);
  const texts = inbox.map(({ text }) => text);
  const expected = [`First to ${question}`, `Second to ${question}`];
  const own = texts.filter((text) => text !== null && expected.includes(text));
  const isComplete = expected.every((part) => own.includes(part));
  if (!isComplete) figures.missing += 1;
  if (own.length > new Set(own).size || inbox.some(({ duplicates }) => duplicates > 0)) figures.twice += 1;
  if (isComplete && own.indexOf(expected[0] as string) > own.indexOf(expected[1] as string))
    figures.outOfOrder += 1;
  if (texts.length > own.length) figures.others += 1;
}
