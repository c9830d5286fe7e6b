/** Treatment of an upgrade. `never`: it is not answered. `mute`: the WebSocket opens, and its handshake is not answered. */
export const UPGRADES = ['auto', 'never', 'mute'] as const;
export type Upgrade = (typeof UPGRADES)[number];

/** Opens or closes the port; connections that exist stay. */
export type OpenPort = (open: boolean) => Promise<void>;

/** This class decides on WebSocket upgrades. An upgrade does not say yet which account it is for. */
export class UpgradeFaults {
  upgrade: Upgrade = 'auto';
  /** HTTP status with which upgrades are refused. */
  upgradeStatus: number | null = null;
  /** Number of upgrades that are still treated so; without it all of them. */
  count: number | null = null;
  private closed = false;
  private openPort: OpenPort = () => Promise.resolve();

  /** Says whether the port is closed, so that the operating system refuses every new connection. */
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

  /** Decides on the next upgrade: an HTTP status to refuse it with, or a treatment. */
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
