import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, waitFor, WebhookReceiver } from '@svc/testing';
import type { NamedRun } from '../../../named-run.js';
import { type Actor, createTenant, linkActors } from '../../../stack/actor.js';
import { Stack } from '../../../stack/stack.js';
import { setRules, switchOn } from '../../../stack/answering-numbers.js';
import { type ModeFigures, switchModes } from './mode-switches.js';
import { type Pace, PACES, RULES } from './pace.js';
import { countPersons, type PersonFigures, writeByHand } from './persons.js';
import { Question } from './question.js';
import { TurnBooks } from './turn-books.js';
import { byApi, byApproval, draft, onPhone, type PacedActor, type Way } from './ways.js';

/** Number of moments at which each way to take over is tried. */
const MOMENTS = 200;
/** Sessions of each pace whose modes are switched. */
const SWITCHED = 4;
const LIMIT_MS = 180_000;
/** Time after which nothing comes any more, once all is sent. */
const QUIET_MS = 1_000;

/** Time within which the assistant hears of a switch: a call may begin, or end, until then. */
const HEARD_MS = 1_000;
/** Time that the part may take which the session was handing over when the text of the person was in its journal. */
const UNDER_WAY_MS = 3_000;

/** Draws so many moments of a turn of a pace. */
type Draw = (pace: Pace, count: number) => number[];

/** Drill of turns that are taken over while they are answered. */
export const takeOverAssistant: NamedRun = {
  summary: `at ${MOMENTS} moments of a turn each, a session is switched to EXTERNAL, a person writes on the phone, software sends, a person approves a draft`,
  bound:
    'behind a switch no answer is handed over; within a second of it no model is asked any more, no answer of one is paid, and nobody is shown typing; no part of an answer comes behind what software or an approval sends, and behind a text on the phone, once that is in the journal, at most the one that was being handed over, within three seconds; nothing comes twice',
  async run({ seed, say }) {
    const stack = await Stack.start();
    const receiver = await WebhookReceiver.start();
    const sessions = await link(stack);
    const books = TurnBooks.of((sessions[0] as PacedActor).actor);
    say(`  ${sessions.length} numbers are linked, and their assistants are on`);
    const random = seededRandom(seed);
    const draw: Draw = ({ spanMs }, count) =>
      Array.from({ length: count }, () => Math.floor(random() * spanMs));

    const switched = sessions.slice(PACES.length);
    const each = MOMENTS / switched.length;
    const moments = switched.map((one) => ({ ...one, moments: draw(one.pace, each) }));
    const countModes = await switchModes(moments, receiver, books);
    say(`  mode     ${JSON.stringify(await countModes())}`);
    const counts = await playPersons(sessions.slice(0, PACES.length), draw, books, say);

    // A part may come late: all is counted once more at the very end.
    const mode = await countModes();
    const persons: Record<string, PersonFigures> = {};
    for (const [name, count] of counts) persons[name] = await count();
    await books.close();
    await receiver.stop();
    return { figures: { seed, mode, ...persons }, holds: isRight(mode, persons) };
  },
};

/** Links numbers whose assistants are on: one of each pace, and those whose modes are switched. */
async function link(stack: Stack): Promise<PacedActor[]> {
  const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
  const actors = await linkActors(stack, tenant, PACES.length * (SWITCHED + 1));
  await setRules(stack, RULES);
  const sessions = actors.map((actor, n) => ({ actor, pace: PACES[n % PACES.length] as Pace }));
  for (const { actor, pace } of sessions) await switchOn(actor, pace.settings);
  return sessions;
}

/** Has persons write in each way, one after the other. @returns what counts the contacts of each way, again and again. */
async function playPersons(
  sessions: PacedActor[],
  draw: Draw,
  books: TurnBooks,
  say: (line: string) => void,
): Promise<Map<string, () => Promise<PersonFigures>>> {
  const counts = new Map<string, () => Promise<PersonFigures>>();
  const each = MOMENTS / sessions.length;
  const play = async (name: string, way: Way, contacts = new Map<string, string[]>()): Promise<void> => {
    const playOne = ({ actor, pace }: PacedActor): Promise<Question[]> => {
      const questionOf = (n: number): Question =>
        new Question(actor, `${pace.word} ${name} ${n}`, contacts.get(actor.sessionId)?.[n]);
      const moments = draw(pace, each).map((moment, n) => ({ moment, question: questionOf(n) }));
      return writeByHand(moments, way);
    };
    const written = (await Promise.all(sessions.map(playOne))).flat();
    const actors = sessions.map(({ actor }): Actor => actor);
    await waitFor('all to be sent', () => books.isQuiet(actors), LIMIT_MS);
    await delay(QUIET_MS);
    const times = new Map([...(await books.textsOf(actors)), ...(await books.byHand(actors))]);
    const count = (): Promise<PersonFigures> => countPersons(MOMENTS, written, times);
    counts.set(name, count);
    say(`  ${name.padEnd(8)} ${JSON.stringify(await count())}`);
  };
  await play('phone', { write: onPhone, isEarly: false });
  await play('api', { write: byApi, isEarly: false });
  const { contacts, drafts } = await draft(sessions, each);
  await play('approval', { write: byApproval(drafts), isEarly: true }, contacts);
  return counts;
}

function isRight(mode: ModeFigures, persons: Record<string, PersonFigures>): boolean {
  const { lastCallMs, lastTokensMs, lastTypingMs } = mode;
  const { phone, ...others } = persons;
  return (
    mode.answersAfter === 0 &&
    Math.max(lastCallMs, lastTokensMs, lastTypingMs) <= HEARD_MS &&
    Object.values(persons).every(({ twice }) => twice === 0) &&
    Object.values(others).every(({ answersBehind }) => answersBehind === 0) &&
    phone !== undefined &&
    phone.lastAnswerMs <= UNDER_WAY_MS
  );
}
