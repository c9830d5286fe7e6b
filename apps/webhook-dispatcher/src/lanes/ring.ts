import type { Lane } from './lane.js';

/** Tenants without a lane in line that are kept in mind: most have one again at once. */
const MOST_IDLE = 1_000;

interface Turn {
  readonly tenantId: string;
  /** In the order of their turns. */
  readonly lanes: Lane[];
}

/** Lanes that could start an attempt: tenants take turns, and the lanes of each, so that many endpoints are not many turns. */
export class Ring {
  private readonly turns: Turn[] = [];
  private readonly tenants = new Map<string, Turn>();

  /** Does nothing where it is in line. */
  add(lane: Lane): void {
    if (lane.inLine) return;
    lane.inLine = true;
    const turn = this.turnOf(lane.tenantId);
    if (turn.lanes.length === 0) this.turns.push(turn);
    turn.lanes.push(lane);
  }

  delete(lane: Lane): void {
    if (!lane.inLine) return;
    lane.inLine = false;
    const turn = this.turnOf(lane.tenantId);
    turn.lanes.splice(turn.lanes.indexOf(lane), 1);
    if (turn.lanes.length === 0) this.turns.splice(this.turns.indexOf(turn), 1);
  }

  /** Takes out the lane whose turn it is. */
  take(): Lane | undefined {
    const turn = this.turns.shift();
    const lane = turn?.lanes.shift();
    if (!turn || !lane) return undefined;
    lane.inLine = false;
    if (turn.lanes.length > 0) this.turns.push(turn);
    return lane;
  }

  private turnOf(tenantId: string): Turn {
    const known = this.tenants.get(tenantId);
    if (known) return known;
    if (this.tenants.size >= 2 * this.turns.length + MOST_IDLE) this.forgetIdle();
    const turn = { tenantId, lanes: [] };
    this.tenants.set(tenantId, turn);
    return turn;
  }

  private forgetIdle(): void {
    for (const { tenantId, lanes } of this.tenants.values())
      if (lanes.length === 0) this.tenants.delete(tenantId);
  }
}
