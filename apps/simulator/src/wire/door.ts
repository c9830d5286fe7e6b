/** What becomes of an upgrade. `never`: it is not answered. `mute`: the WebSocket opens, and its handshake is not answered. */
export const UPGRADES = ['auto', 'never', 'mute'] as const;
export type Upgrade = (typeof UPGRADES)[number];

/** Decides whether a WebSocket upgrade is let in. It does not say yet which account it is for. */
export class Door {
  upgrade: Upgrade = 'auto';
  /** Upgrades are refused with this HTTP status. */
  upgradeStatus: number | null = null;
  /** How many more are treated so; without a number all of them. */
  count: number | null = null;

  /** What becomes of the next upgrade: an HTTP status to refuse it with, or one of the words above. */
  next(): number | Upgrade {
    const verdict = this.upgradeStatus ?? this.upgrade;
    if (verdict !== 'auto' && this.count !== null) this.count--;
    if (this.count === 0) this.clear();
    return verdict;
  }

  clear(): void {
    this.upgrade = 'auto';
    this.upgradeStatus = null;
    this.count = null;
  }
}
