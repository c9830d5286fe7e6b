import { type Measured, measured, round3 } from '../figures.js';
import type { Better } from '../named-run.js';

/** A figure may become worse by this part of its earlier median, and by the spread of the earlier measurements. */
const TOLERANCE = 0.05;

/** A figure before and after a change. */
export interface Judgement {
  before: Measured;
  after: Measured;
  /** Part by which the median is worse; negative where it is better. */
  worseBy: number;
  /** Part by which it may be worse. */
  allowed: number;
  holds: boolean;
}

/** Judges a figure that was measured several times before and after a change. */
export function judge(before: number[], after: number[], better: Better): Judgement {
  const [earlier, later] = [measured(before), measured(after)];
  const grown = later.median - earlier.median;
  const worseBy = round3(better === 'lower' ? grown : -grown);
  const allowed = round3(Math.abs(earlier.median) * TOLERANCE + earlier.spread);
  return { before: earlier, after: later, worseBy, allowed, holds: worseBy <= allowed };
}

/** Reads a figure by its path: a number, or the median of repeated measurements; undefined where there is none. */
export function figureAt(figures: unknown, path: string): number | undefined {
  let value = figures;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  const figure = typeof value === 'object' ? (value as Partial<Measured> | null)?.median : value;
  return typeof figure === 'number' ? figure : undefined;
}
