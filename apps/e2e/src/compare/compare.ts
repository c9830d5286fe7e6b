import { parseArgs } from 'node:util';
import type { Outcome } from '../named-run.js';
import { RUNS } from '../named-runs.js';
import { ROOT } from '../repository.js';
import { baseCommit, checkOut } from './base-checkout.js';
import { runBench } from './bench-process.js';
import { figureAt, type Judgement, judge } from './judgement.js';

const ROUNDS = 5;
const MOST_ROUNDS = 20;
const USAGE = 'npm run bench -- compare <name> [--base <ref>] [--rounds N] [--seed N] [--minutes N]';

type Figures = Outcome['figures'];

/**
 * Runs `npm run bench -- compare <name>`: a benchmark of the commit before and of this one in turn, so that what the machine does besides falls on
 * both. Prints one line of JSON with the judged figures; returns the exit code.
 */
export async function compare(args: string[]): Promise<number> {
  const { name, base, rounds, more } = optionsOf(args);
  const judged = RUNS.bench[name]?.judged;
  if (!judged) throw new Error(`There is no benchmark ${name} with figures to judge. ${USAGE}`);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const commit = await baseCommit(base);
  const roots = { before: (await checkOut([commit], say))(commit), after: ROOT };
  const found: Record<keyof typeof roots, Figures[]> = { before: [], after: [] };
  for (let round = 1; round <= rounds; round += 1) {
    // The sides take turns, so that neither is always the second.
    const order = round % 2 ? (['before', 'after'] as const) : (['after', 'before'] as const);
    for (const side of order) {
      say(`round ${round} of ${rounds}, ${side === 'before' ? commit.slice(0, 9) : 'this commit'}`);
      found[side].push(await runBench(roots[side], [name, ...more]));
    }
  }
  const judgements = Object.entries(judged).flatMap(([path, better]) => {
    const [before, after] = [found.before, found.after].map((all) => valuesAt(all, path));
    return before && after ? [[path, judge(before, after, better)] as const] : [];
  });
  for (const [path, judgement] of judgements) say(wordsOf(path, judgement));
  const holds = judgements.length > 0 && judgements.every(([, one]) => one.holds);
  const result = {
    name: `compare ${name}`,
    base: commit,
    rounds,
    figures: Object.fromEntries(judgements),
    holds,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return holds ? 0 : 1;
}

/** The figure of every round; undefined where a round has none, as one that is new in this commit. */
function valuesAt(all: Figures[], path: string): number[] | undefined {
  const values = all.map((figures) => figureAt(figures, path));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function wordsOf(path: string, { before, after, worseBy, allowed, holds }: Judgement): string {
  const [earlier, later] = [before, after].map(({ median, spread }) => `${median} (spread ${spread})`);
  const change = `${worseBy > 0 ? 'worse' : 'better'} by ${Math.abs(worseBy)}, at most ${allowed} worse`;
  return `  ${holds ? '✓' : '✗'} ${path.padEnd(24)} ${earlier} → ${later}: ${change}`;
}

function optionsOf(args: string[]): {
  name: string;
  base: string | undefined;
  rounds: number;
  more: string[];
} {
  const string = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    options: { base: string, rounds: string, seed: string, minutes: string },
    allowPositionals: true,
  });
  const [name = '', ...others] = positionals;
  const rounds = Number(values.rounds ?? ROUNDS);
  const areGood = Number.isInteger(rounds) && rounds >= 1 && rounds <= MOST_ROUNDS;
  if (!areGood || others.length > 0) throw new Error(USAGE);
  const more = (['seed', 'minutes'] as const).flatMap((option) => {
    const value = values[option];
    return value === undefined ? [] : [`--${option}`, value];
  });
  return { name, base: values.base, rounds, more };
}
