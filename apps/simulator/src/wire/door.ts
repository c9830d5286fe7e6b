/** Decides whether a WebSocket upgrade is let in. It does not say yet which account it is for. */
export class Door {
  /** Upgrades are refused with this HTTP status. */
  upgradeStatus: number | null = null;
  /** How many more are refused; without a number all of them. */
  count: number | null = null;

  /** The status to refuse the next upgrade with, if it is to be refused. */
  refusal(): number | undefined {
    const status = this.upgradeStatus ?? undefined;
    if (status !== undefined && this.count !== null) this.count--;
    if (this.count === 0) this.clear();
    return status;
  }

  clear(): void {
    this.upgradeStatus = null;
    this.count = null;
  }
}
