/** What becomes of an upgrade. `never`: it is not answered. `mute`: the WebSocket opens, and its handshake is not answered. */
export const UPGRADES = ['auto', 'never', 'mute'] as const;
export type Upgrade = (typeof UPGRADES)[number];

/** Opens or closes the port; connections that exist stay. */
export type OpenPort = (open: boolean) => Promise<void>;

/** This class decides what becomes of WebSocket upgrades. An upgrade does not say yet which account it is for. */
export class UpgradeFaults {
  upgrade: Upgrade = 'auto';
  /** Upgrades are refused with this HTTP status. */
  upgradeStatus: number | null = null;
  /** How many more are treated so; without a number all of them. */
  count: number | null = null;
  private closed = false;
  private openPort: OpenPort = () => Promise.resolve();

  /** Whether nobody listens, so that the operating system refuses every new connection. */
  get portClosed(): boolean {
    return this.closed;
  }

  /** Takes the function that opens and closes the port. */
  attachPort(openPort: OpenPort): void {
    this.openPort = openPort;
  }

  async closePort(closed: boolean): Promise<void> {
    if (closed === this.closed) return;
    this.closed = closed;
    await this.openPort(!closed);
  }

  /** Decides about the next upgrade: an HTTP status to refuse it with, or one of the words above. */
  next(): number | Upgrade {
    const verdict = this.upgradeStatus ?? this.upgrade;
    if (verdict !== 'auto' && this.count !== null) this.count--;
    if (this.count === 0) this.reset();
    return verdict;
  }

  async clear(): Promise<void> {
    this.reset();
    await this.closePort(false);
  }

  private reset(): void {
    this.upgrade = 'auto';
    this.upgradeStatus = null;
    this.count = null;
  }
}
