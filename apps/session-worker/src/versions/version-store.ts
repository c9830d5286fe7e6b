import { DataSource, type EntityManager } from 'typeorm';
import { firstState, type VersionState, withBuiltIn } from './version-state.js';

/** State at a moment of domain time, in ms. */
export interface StateNow {
  state: VersionState;
  now: number;
}

const READ_SQL = `SELECT state, (extract(epoch FROM svc_now()) * 1000)::float8 AS now FROM platform_version`;

/** Keeps the one row that all workers share. */
export class VersionStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly builtIn: number,
    /** Revision that the configuration names, in place of what the row says. */
    private readonly fixed: number | null,
  ) {}

  /** Revision that holds while the database has not answered yet. */
  get usual(): number {
    return this.fixed ?? this.builtIn;
  }

  async read(): Promise<StateNow> {
    const [row] = await this.dataSource.query<StateNow[]>(READ_SQL);
    return row
      ? this.opened(row)
      : { state: this.opened({ state: firstState(this.builtIn), now: 0 }).state, now: 0 };
  }

  /** Changes the state, one worker at a time. @param also writes what belongs to the change. */
  async change(
    step: (state: VersionState, now: number) => VersionState,
    also?: (tx: EntityManager, now: number) => Promise<void>,
  ): Promise<StateNow & { before: VersionState }> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query('INSERT INTO platform_version (state) VALUES ($1) ON CONFLICT DO NOTHING', [
        JSON.stringify(firstState(this.builtIn)),
      ]);
      const [row] = await tx.query<[StateNow]>(`${READ_SQL} FOR UPDATE`);
      const { state: before, now } = this.opened(row);
      const state = step(before, now);
      if (state !== before)
        await tx.query('UPDATE platform_version SET state = $1', [this.closed(state, row)]);
      await also?.(tx, now);
      return { before, state, now };
    });
  }

  private opened({ state, now }: StateNow): StateNow {
    const whole = withBuiltIn(state, this.builtIn);
    if (this.fixed === null) return { state: whole, now };
    return { state: { ...whole, pinned: this.fixed, candidate: null }, now };
  }

  /** Writes the state without what the configuration of this process alone says. */
  private closed(state: VersionState, row: StateNow): string {
    const { pinned, candidate } = row.state;
    return JSON.stringify(this.fixed === null ? state : { ...state, pinned, candidate });
  }
}
