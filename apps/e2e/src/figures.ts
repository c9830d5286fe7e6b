/** A figure measured several times. */
export interface Measured {
  median: number;
  /** Largest minus smallest. */
  spread: number;
}

/** Rounds to three digits behind the point. */
export const round3 = (value: number): number => Math.round(value * 1000) / 1000;

/** Sums up repeated measurements. */
export function measured(values: number[]): Measured {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    spread: round3((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)),
  };
}

/** Finds the value below which this part of the values lies, of sorted ones. */
export function quantile(sorted: number[], part: number): number {
  return round3(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
}
