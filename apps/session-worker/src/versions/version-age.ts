const DAY_MS = 24 * 3_600_000;
/** A revision of which it is known when it was made: between 23 and 27 July 2026. */
const KNOWN = { revision: 1_043_857_760, madeAt: Date.UTC(2026, 6, 25) };
/** Revisions that the platform makes in a day, in the middle of what was seen (docs/platform-protocol.md, 4). */
const A_DAY = 66_000;

/** Estimates how old a revision is by its number, in whole days. */
export function ageInDays(revision: number, now: number): number {
  const madeAt = KNOWN.madeAt + ((revision - KNOWN.revision) / A_DAY) * DAY_MS;
  return Math.max(0, Math.floor((now - madeAt) / DAY_MS));
}
