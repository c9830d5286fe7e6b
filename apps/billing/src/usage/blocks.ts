import { TOKEN_BLOCK } from '@svc/contracts';

/** Counts the started blocks beyond what is included: 70,000,000 of 70,000,000 → 0, one more → 1 (specification, "Limits"). */
export function blocksOf(used: number, included: number): number {
  return used <= included ? 0 : Math.ceil((used - included) / TOKEN_BLOCK);
}
