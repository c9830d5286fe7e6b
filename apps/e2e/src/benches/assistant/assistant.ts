import { createTenant } from '../../stack/actor.js';
import { answerBy, linkAnswering, MODEL_KEY } from '../../stack/answering-numbers.js';
import { type Measured, measured, round3 } from '../../figures.js';
import { Inspector, type Memory, memoryWhenIdle } from '../../stack/inspector.js';
import type { Benchmark } from '../../named-run.js';
import { Program } from '../../stack/program.js';
import { Stack } from '../../stack/stack.js';
import { compareSides } from '../sides.js';
import { type Moments, overheadOf, ownOverheadOf, type Spread, spreadOf, stagesOf } from './stages.js';
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

/** Most calls that a key had open at the stand-in, and how many it answered to the end. */
type Calls = Record<'mostOpen' | 'complete', number>;

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
      const actors = await linkAnswering(stack, tenant, SESSIONS, SETTINGS);
      for (const key of [MODEL_KEY, BARE_KEY]) await answerBy(stack, key, RULE);
      const load = new TurnLoad(actors, TURNS, PER_SECOND, (question) => `Answer to ${question}`);
      const rounds: Moments[][] = [];
      const looks: Memory[] = [];
      let missing = 0;
      const bare = async (): Promise<Spread> => {
        const argument = { url: stack.file.platform.llm, key: BARE_KEY, count: TURNS, perSecond: PER_SECOND };
        const { result } = (await program.ask('ask', argument)) as { result: number[] };
        return spreadOf(result.map((time) => time - DELAY_MS));
      };
      const ours = async (): Promise<Spread> => {
        const { turns, missing: lost } = await load.play();
        missing += lost;
        rounds.push(turns);
        say(`  stages: ${JSON.stringify(stagesOf(turns, DELAY_MS))}`);
        if (looks.length === 0) looks.push(await memoryWhenIdle(() => inspector.memory()));
        return spreadOf(turns.map((turn) => overheadOf(turn, DELAY_MS)));
      };
      const compared = await compareSides({ bare, ours }, ROUNDS, say);
      looks.push(await memoryWhenIdle(() => inspector.memory()));
      const counted = rounds.slice(1);
      const own = counted.map((turns) => spreadOf(turns.map(ownOverheadOf)));
      const { p50Ms, p95Ms } = compared.ratio;
      return {
        figures: {
          ...compared,
          own: bothOf(own),
          ownRatio: {
            p50Ms: round3(bothOf(own).p50Ms.median / compared.bare.p50Ms.median),
            p95Ms: round3(bothOf(own).p95Ms.median / compared.bare.p95Ms.median),
          },
          stages: stagesOf(counted.flat(), DELAY_MS),
          turns: TURNS * (ROUNDS + 1),
          missing,
          mostInFlight: { bare: await callsOf(stack, BARE_KEY), ours: await callsOf(stack, MODEL_KEY) },
          rssMb: looks.map(({ rss }) => round3(rss / MB)),
          heapMb: looks.map(({ heapUsed }) => round3(heapUsed / MB)),
        },
        holds: p50Ms <= MOST_RATIO && p95Ms <= MOST_RATIO && missing === 0,
      };
    } finally {
      inspector.close();
      program.stop();
      await stack.stop();
    }
  },
};

const bothOf = (spreads: Spread[]): Record<keyof Spread, Measured> => ({
  p50Ms: measured(spreads.map((one) => one.p50Ms)),
  p95Ms: measured(spreads.map((one) => one.p95Ms)),
});

async function callsOf(stack: Stack, key: string): Promise<Calls> {
  const { chat } = await stack.platform<{ chat: Calls }>('GET', `/llm/keys/${key}`);
  return { mostOpen: chat.mostOpen, complete: chat.complete };
}
