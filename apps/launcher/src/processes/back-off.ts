const FIRST_MS = 200;
const LONGEST_MS = 10_000;
/** Time alive after which earlier deaths say nothing about the next one, in ms. */
const STEADY_AFTER_MS = 30_000;

/** Computes the wait before the next start, after so many deaths in a row before this one. */
export function backOffMs(deathsBefore: number): number {
  return Math.min(FIRST_MS * 2 ** deathsBefore, LONGEST_MS);
}

/** Counts the deaths in a row that a new death adds to. */
export function deathsInARow(counted: number, aliveMs: number): number {
  return aliveMs >= STEADY_AFTER_MS ? 0 : counted;
}
