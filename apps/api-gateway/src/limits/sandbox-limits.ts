import { Injectable } from '@nestjs/common';
import { countOf, type SandboxLimits, type SubscriptionState } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { entitlementsOf } from './entitlements.js';

/** Seconds by which the clock of a sandbox may be ahead: ten years, as `sql/advance_sandbox_clock.sql` has it. */
export const MOST_AHEAD_S = 315_576_000;
/** Day on which contacts of a sandbox write. It is of the real clock: what is written takes room on a real disk, however far that of the sandbox is ahead. */
export const TODAY = `(clock_timestamp() AT TIME ZONE 'UTC')::date`;

const SANDBOX_SQL = `SELECT greatest(0, round(extract(epoch FROM svc_now($1) - svc_now())))::float8 AS ahead,
  coalesce((SELECT written FROM sandbox_day WHERE tenant_id = $1 AND day = ${TODAY}), 0)::int AS written
  FROM tenant WHERE id = $1 AND sandbox_of IS NOT NULL`;

/** This class says how much is used of what a sandbox alone has. */
@Injectable()
export class SandboxCounts {
  constructor(private readonly dataSource: DataSource) {}

  /** Reads it; undefined for a tenant that is no sandbox. */
  async of(subscription: SubscriptionState): Promise<SandboxLimits | undefined> {
    const { tenantId } = subscription;
    const [row] = await this.dataSource.query<{ ahead: number; written: number }[]>(SANDBOX_SQL, [tenantId]);
    return (
      row && {
        clockSeconds: countOf(MOST_AHEAD_S, row.ahead),
        contactMessages: countOf(entitlementsOf(subscription).messages, row.written),
      }
    );
  }
}
