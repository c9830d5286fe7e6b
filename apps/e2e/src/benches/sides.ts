import { type Measured, measured, round3 } from '../figures.js';

/** The reference and what is measured against it. */
export type SideName = 'bare' | 'ours';

/** The result of a comparison: per side, and ours ÷ bare of the medians. */
export interface Compared<Figure extends string> {
  bare: Record<Figure, Measured>;
  ours: Record<Figure, Measured>;
  ratio: Record<Figure, number>;
}

/** Plays both sides in turn, so that what the machine does besides falls on both. The first round warms up and does not count. */
export async function compareSides<Figure extends string>(
  sides: Record<SideName, () => Promise<Record<Figure, number>>>,
  rounds: number,
  say: (line: string) => void,
): Promise<Compared<Figure>> {
  const results: Record<SideName, Record<Figure, number>[]> = { bare: [], ours: [] };
  for (let n = 0; n <= rounds; n += 1) {
    for (const name of ['bare', 'ours'] as const) {
      const result = await sides[name]();
      if (n > 0) results[name].push(result);
      say(`  round ${n}, ${name}: ${JSON.stringify(result)}`);
    }
  }
  return comparedOf(results);
}

/** Sums up what both sides reached. */
export function comparedOf<Figure extends string>(
  results: Record<SideName, Record<Figure, number>[]>,
): Compared<Figure> {
  const figures = Object.keys(results.bare[0] ?? {}) as Figure[];
  const each = <T>(value: (figure: Figure) => T): Record<Figure, T> =>
    Object.fromEntries(figures.map((figure) => [figure, value(figure)])) as Record<Figure, T>;
  const side = (name: SideName): Record<Figure, Measured> =>
    each((figure) => measured(results[name].map((one) => one[figure])));
  const [bare, ours] = [side('bare'), side('ours')];
  return { bare, ours, ratio: each((figure) => round3(ours[figure].median / bare[figure].median)) };
}
