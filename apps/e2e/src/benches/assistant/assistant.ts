import { createTenant, linkActors } from '../../stack/actor.js';
import { MODEL_KEY, setRules, switchOn } from '../../stack/answering-numbers.js';
import { type Measured, round3 } from '../../figures.js';
import { Inspector, type Memory, memoryWhenIdle } from '../../stack/inspector.js';
import type { Benchmark } from '../../named-run.js';
import { Program } from '../../stack/program.js';
import { Stack } from '../../stack/stack.js';
import { compareSides } from '../sides.js';
import { AnsweringSide } from './answering-side.js';
import { type Spread, spreadOf } from './stages.js';
import { TurnLoad } from './turn-load.js';

const SESSIONS = 5;
const PER_SECOND = 20;
/** Turns of a round, each in a conversation of its own. */
const TURNS = 300;
const ROUNDS = 3;
const MOST_RATIO = 3;
/** Provider's own time: so many calls are in flight as it lasts seconds, times the rate. */
const DELAY_MS = 1_000;
/** Key of the reference at the stand-in: its calls are counted apart. */
const BARE_KEY = 'bare';
const RULE = { text: 'Answer to {text}', delayMs: DELAY_MS };
const SETTINGS = {
  mode: 'auto',
  instructions: 'You answer for a bakery in Kiel.',
  debounceMs: 0,
  typing: false,
};
const MB = 1024 * 1024;

/** Benchmark of an answer, from the contact's text to the answer at the contact, beside a loop that asks the model with the same library. */
export const assistant: Benchmark = {
  summary: `what an answer takes beside the model's own time at ${PER_SECOND} turns a second, against a loop that asks the model with the same library`,
  bound:
    `overhead <= ${MOST_RATIO} times that of the bare loop, p50 and p95, from the intended time of each text until the contact has the answer, none missing; ` +
    `${TURNS} conversations of ${SESSIONS} numbers; the model's delay of ${DELAY_MS} ms is subtracted; debounce is 0 and nobody types`,
  judged: { 'ratio.p50Ms': 'lower', 'ratio.p95Ms': 'lower', 'own.p50Ms': 'lower', missing: 'lower' },
  async run({ say }) {
    const stack = await Stack.start();
    const { program } = await Program.start('model-calls.mjs');
    const inspector = await Inspector.of(stack, 'assistant');
    try {
      const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
      const actors = await linkActors(stack, tenant, SESSIONS, (actor) => switchOn(actor, SETTINGS));
      for (const key of [MODEL_KEY, BARE_KEY]) await setRules(stack, [RULE], key);
      const load = new TurnLoad(actors, TURNS, (question) => `Answer to ${question}`);
      const side = new AnsweringSide(stack, load, { perSecond: PER_SECOND, delayMs: DELAY_MS }, say);
      const looks: Memory[] = [];
      const look = async (): Promise<void> => void looks.push(await memoryWhenIdle(() => inspector.memory()));
      const ours = async (): Promise<Spread> => {
        const spread = await side.play();
        if (looks.length === 0) await look();
        return spread;
      };
      const compared = await compareSides({ bare: () => bareRound(stack, program), ours }, ROUNDS, say);
      await look();
      const { own, missing, ...figures } = side.figures();
      const { p50Ms, p95Ms } = compared.ratio;
      const ownRatio = ratioOf(own, compared.bare);
      const mostInFlight = { bare: await mostOpen(stack, BARE_KEY), ours: await mostOpen(stack, MODEL_KEY) };
      const rssMb = looks.map(({ rss }) => round3(rss / MB));
      const heapMb = looks.map(({ heapUsed }) => round3(heapUsed / MB));
      return {
        figures: { ...compared, own, ownRatio, missing, ...figures, mostInFlight, rssMb, heapMb },
        holds: p50Ms <= MOST_RATIO && p95Ms <= MOST_RATIO && missing === 0,
      };
    } finally {
      inspector.close();
      program.stop();
      await stack.stop();
    }
  },
};

/** Plays the loop. @returns what calls took beside the delay of the model */
async function bareRound({ file }: Stack, program: Program): Promise<Spread> {
  const argument = { url: file.platform.llm, key: BARE_KEY, count: TURNS, perSecond: PER_SECOND };
  const { result } = (await program.ask('ask', argument)) as { result: number[] };
  return spreadOf(result.map((time) => time - DELAY_MS));
}

type Spreads = Record<keyof Spread, Measured>;

const ratioOf = (ours: Spreads, bare: Spreads): Spread => ({
  p50Ms: round3(ours.p50Ms.median / bare.p50Ms.median),
  p95Ms: round3(ours.p95Ms.median / bare.p95Ms.median),
});

/** Reads how many calls with a key the stand-in had open at most. */
async function mostOpen(stack: Stack, key: string): Promise<number> {
  return (await stack.platform<{ chat: { mostOpen: number } }>('GET', `/llm/keys/${key}`)).chat.mostOpen;
}
