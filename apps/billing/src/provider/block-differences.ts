import type { BlockItem } from './stripe-provider.js';

/** A block of the ledger, as it is held against the provider's invoice items. */
export interface OurBlock extends Omit<BlockItem, 'itemId'> {
  /** Id of the item; null: it is not on an invoice yet, as far as the ledger says. */
  itemId: string | null;
  /** The block is on an invoice, and young enough that the provider must show it. */
  reported: boolean;
}

/** Compares the blocks of the ledger with the provider's. @returns one line for each that differs. */
export function differencesOf(ours: OurBlock[], theirs: BlockItem[]): string[] {
  const byId = new Map<string | null, BlockItem>(theirs.map((item) => [item.itemId, item]));
  const ofOurs = ours.flatMap(({ key, itemId, cents, reported }) => {
    const item = byId.get(itemId);
    if (!item) return reported ? [`${key} is not at the provider`] : [];
    return item.cents === cents ? [] : [`${key} costs ${item.cents} at the provider, not ${cents}`];
  });
  const ids = new Map(ours.map(({ key, itemId }) => [key, itemId]));
  const ofTheirs = theirs.flatMap(({ key, itemId }) => {
    if (!ids.has(key)) return [`${key} is at the provider only`];
    return [itemId, null].includes(ids.get(key) ?? null) ? [] : [`${key} is there more than once`];
  });
  return [...ofOurs, ...ofTheirs];
}
