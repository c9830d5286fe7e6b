import { setTimeout as delay } from 'node:timers/promises';
import type { Question, TimedItem } from './question.js';
import type { Way } from './ways.js';

/** Conversations of a session at the same time in which persons write. */
const AT_A_TIME = 6;

/** Figures of what came after a person had written. */
export interface PersonFigures {
  questions: number;
  /** Texts of a person that went out, once the session had the question; an approval may be refused. */
  texts: number;
  /** Number of those before which no part of the answer had come, one part, and both. */
  before: [number, number, number];
  /** Parts of answers that came behind the text of the person. */
  answersBehind: number;
  /** Longest time from the arrival of such a text at the contact until the session had it, in ms; of what is sent by API, 0. */
  longestWayMs: number;
  /** Parts that came after the session had that text, and the longest time from then to such a part, in ms. */
  answersAfter: number;
  lastAnswerMs: number;
  /** Contacts who have a text twice. */
  twice: number;
}

/** A question, and the moment at which a person writes, in ms from the time on at which the session has the question. */
export interface PersonMoment {
  question: Question;
  moment: number;
}

const textOf = ({ text }: Question): string => `By hand: ${text}`;

/** Has contacts ask, some at the same time, and a person write to each at its moment. @returns those to whom the person has written. */
export async function writeByHand(moments: PersonMoment[], { write, isEarly }: Way): Promise<Question[]> {
  const written: Question[] = [];
  const queue = [...moments];
  const person = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { question, moment } = next;
      await question.ask();
      if (!isEarly) await question.arrived();
      await delay(moment);
      if (await write(question, textOf(question))) written.push(question);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, person));
  return written;
}

/** Counts what the contacts have. @param times at which the session had each text; of those on a phone by the contact */
export async function countPersons(
  questions: number,
  written: Question[],
  times: Map<string, number>,
): Promise<PersonFigures> {
  const figures: PersonFigures = {
    ...{ questions, texts: 0, before: [0, 0, 0], twice: 0 },
    ...{ answersBehind: 0, longestWayMs: 0, answersAfter: 0, lastAnswerMs: 0 },
  };
  for (const question of written) countInbox(question, await question.inbox(), times, figures);
  return figures;
}

function countInbox(
  question: Question,
  inbox: TimedItem[],
  times: Map<string, number>,
  figures: PersonFigures,
): void {
  const texts = inbox.map(({ text }) => text);
  const isTwice = new Set(texts).size < texts.length || inbox.some(({ duplicates }) => duplicates > 0);
  if (isTwice) figures.twice += 1;
  const at = texts.indexOf(textOf(question));
  const hadAt = times.get(question.contact) ?? times.get(textOf(question)) ?? Infinity;
  // A text of before the session had the question does not answer it.
  if (at < 0 || hadAt < (times.get(question.text) ?? 0)) return;
  const isAnswer = (item: TimedItem): boolean => question.isAnswer(item);
  figures.texts += 1;
  figures.before[inbox.slice(0, at).filter(isAnswer).length as 0 | 1 | 2] += 1;
  const behind = inbox.slice(at + 1).filter(isAnswer);
  const after = behind.map(({ receivedAt }) => Date.parse(receivedAt) - hadAt).filter((ms) => ms > 0);
  figures.answersBehind += behind.length;
  const wayMs = hadAt - Date.parse((inbox[at] as TimedItem).receivedAt);
  figures.longestWayMs = Math.max(figures.longestWayMs, wayMs);
  figures.answersAfter += after.length;
  figures.lastAnswerMs = Math.max(figures.lastAnswerMs, ...after);
}
