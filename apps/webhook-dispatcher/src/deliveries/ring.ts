import type { Lane } from './lane.js';

/** Lanes that could start an attempt: tenants take turns, and the lanes of each, so that many endpoints are not many turns. */
export class Ring {
  private readonly tenants = new Map<string, Set<Lane>>();

  add(lane: Lane): void {
    const { tenantId } = lane;
    const lanes = this.tenants.get(tenantId);
    if (lanes) lanes.add(lane);
    else this.tenants.set(tenantId, new Set([lane]));
  }

  delete(lane: Lane): void {
    const { tenantId } = lane;
    const lanes = this.tenants.get(tenantId);
    if (lanes?.delete(lane) && lanes.size === 0) this.tenants.delete(tenantId);
  }

  /** Takes out the lane whose turn it is. */
  take(): Lane | undefined {
    for (const [tenantId, lanes] of this.tenants) {
      this.tenants.delete(tenantId);
      const [lane] = lanes as Set<Lane | undefined>;
      if (lane) lanes.delete(lane);
      if (lanes.size > 0) this.tenants.set(tenantId, lanes);
      return lane;
    }
    return undefined;
  }
}
