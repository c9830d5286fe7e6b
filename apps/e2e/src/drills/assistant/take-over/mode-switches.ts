import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { type Actor, answerOf, expectStatus, inventPhone } from '../../../stack/actor.js';
import type { Pace } from './pace.js';
import { Question } from './question.js';
import { callsByQuestion, type NotedCall, type TurnBooks } from './turn-books.js';

const LIMIT_MS = 60_000;

/** Figures of what came after the mode of a session was switched. Times are from the answer of that call, in ms. */
export interface ModeFigures {
  switches: number;
  /** Switches before which no part of the answer had come, one part, and both. */
  before: [number, number, number];
  /** Parts of answers that came behind what the session was told to send after the switch. */
  answersAfter: number;
  /** Longest time from a switch to a part that came before that. */
  lastAnswerMs: number;
  /** Calls of the model that began after a switch, and the longest time to one. */
  callsAfter: number;
  lastCallMs: number;
  /** Calls that were answered to their end after a switch, whose tokens are paid, and the longest time to that end. */
  tokensAfter: number;
  lastTokensMs: number;
  /** Switches after which a contact was shown that somebody types, and the longest time to that. */
  typingAfter: number;
  lastTypingMs: number;
}

/** Switch of the mode of a session while a question is answered. */
interface Switch {
  question: Question;
  /** Time at which the call was answered. */
  at: number;
  /** Time at which a text arrived that the session was told to send after it. */
  markedAt: number;
  /** Time at which the contact was last shown that somebody types; 0: never. */
  typedAt: number;
}

/** A session whose mode is switched to and fro. */
export interface SwitchedSession {
  actor: Actor;
  pace: Pace;
  /** Moments of the switches, in ms from the time on at which the session has the question. */
  moments: number[];
}

/** Switches sessions to `EXTERNAL`, each in the middle of one turn after the other, and back again when that has ended. */
export async function switchModes(
  sessions: SwitchedSession[],
  receiver: WebhookReceiver,
  books: TurnBooks,
): Promise<() => Promise<ModeFigures>> {
  const all = await Promise.all(sessions.map((session) => switchSession(session, receiver, books)));
  const switches = all.flat();
  const calls = await callsByQuestion((sessions[0] as SwitchedSession).actor);
  return () => count(switches, calls);
}

async function switchSession(
  { actor, pace, moments }: SwitchedSession,
  receiver: WebhookReceiver,
  books: TurnBooks,
): Promise<Switch[]> {
  const switches: Switch[] = [];
  for (const [number, moment] of moments.entries()) {
    const question = new Question(actor, `${pace.word} switch ${number} of ${actor.phone}`);
    await question.ask();
    await question.arrived();
    await delay(moment);
    await setMode(actor, true, receiver);
    const at = Date.now();
    const markedAt = await mark(actor);
    const isOver = async (): Promise<boolean> => {
      const { all, open } = await books.turnsOf([actor]);
      return all === number + 1 && open === 0;
    };
    await waitFor(`the turn of ${question.text} to end`, isOver, LIMIT_MS);
    switches.push({ question, at, markedAt, typedAt: await typedAt(question) });
    await setMode(actor, false, receiver);
  }
  return switches;
}

async function setMode(actor: Actor, enabled: boolean, { origin }: WebhookReceiver): Promise<void> {
  const path = `/v1/sessions/${actor.sessionId}/external-config`;
  const body = { enabled, ...(enabled ? { webhookUrl: `${origin}/hook` } : {}) };
  expectStatus(await answerOf('the mode', () => actor.api('PUT', path, body)), 200);
}

/** Has the session send a text to somebody else; what it hands over later comes later. @returns when it arrived */
async function mark(actor: Actor): Promise<number> {
  const other = new Question(actor, '', inventPhone());
  expectStatus(await actor.send(other.contact, 'The bot is here.'), 200);
  const [item] = await waitFor(
    'the text of the bot',
    async () => {
      const inbox = await other.inbox();
      return inbox.length > 0 ? inbox : undefined;
    },
    LIMIT_MS,
  );
  return Date.parse(item?.receivedAt ?? '');
}

async function typedAt({ actor, contact }: Question): Promise<number> {
  const path = `/contacts/${contact}/typing`;
  interface Typing {
    from: string;
    state: string;
    at: string;
  }
  const { items } = await actor.stack.platform<{ items: Typing[] }>('GET', path);
  const shown = items.find(({ from, state }) => from === actor.phone && state === 'composing');
  return Date.parse(shown?.at ?? '1970-01-01');
}

async function count(switches: Switch[], calls: Map<string, NotedCall[]>): Promise<ModeFigures> {
  const figures: ModeFigures = {
    ...{ switches: switches.length, before: [0, 0, 0], answersAfter: 0, lastAnswerMs: 0 },
    ...{ callsAfter: 0, lastCallMs: 0, tokensAfter: 0, lastTokensMs: 0, typingAfter: 0, lastTypingMs: 0 },
  };
  for (const one of switches) {
    await countAnswers(one, figures);
    for (const call of calls.get(one.question.text) ?? []) countCall(one, call, figures);
    if (one.typedAt > one.at) figures.typingAfter += 1;
    figures.lastTypingMs = Math.max(figures.lastTypingMs, one.typedAt - one.at);
  }
  return figures;
}

async function countAnswers({ question, at, markedAt }: Switch, figures: ModeFigures): Promise<void> {
  const times = (await question.inbox())
    .filter((item) => question.isAnswer(item))
    .map(({ receivedAt }) => Date.parse(receivedAt));
  const inTime = times.filter((time) => time <= markedAt);
  figures.before[Math.min(2, inTime.length) as 0 | 1 | 2] += 1;
  figures.answersAfter += times.length - inTime.length;
  figures.lastAnswerMs = Math.max(figures.lastAnswerMs, ...inTime.map((time) => time - at));
}

function countCall({ at }: Switch, { beganAt, endedAt, state }: NotedCall, figures: ModeFigures): void {
  const sinceMs = Date.parse(beganAt) - at;
  if (sinceMs > 0) figures.callsAfter += 1;
  figures.lastCallMs = Math.max(figures.lastCallMs, sinceMs);
  const endMs = state === 'COMPLETE' ? Date.parse(endedAt ?? '') - at : 0;
  if (endMs > 0) figures.tokensAfter += 1;
  figures.lastTokensMs = Math.max(figures.lastTokensMs, endMs);
}
