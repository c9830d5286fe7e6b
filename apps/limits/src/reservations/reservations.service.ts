import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppError, type LimitRefusal, type ReserveReply, type ReserveV1, TIER_CAPS } from '@svc/contracts';
import { DataSource, QueryFailedError } from 'typeorm';
import { planCap } from './caps.js';

/** What the database function `reserve` answers. */
interface Outcome {
  outcome: 'admitted' | 'session' | 'plan' | 'elsewhere';
  day_limit: number;
  day_used: number;
  reset_at: Date;
  retry_after: number;
}

/** SQLSTATE raised by `reserve` when another session took the job at the same moment. */
const TAKEN_MEANWHILE = 'SV001';

/** Says whether one more message may go, exactly once per job. */
@Injectable()
export class ReservationsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async reserve({ jobId, tenantId, sessionId, plan, internal }: ReserveV1): Promise<ReserveReply> {
    const outcome = await this.call([jobId, tenantId, sessionId, TIER_CAPS, planCap(plan, internal)]);
    if (outcome === undefined || outcome.outcome === 'elsewhere') throw takenElsewhere();
    if (outcome.outcome === 'admitted') return { admitted: true };
    return { admitted: false, refusal: toRefusal(outcome.outcome, outcome) };
  }

  /** The message of this job is out: its units stay used. */
  async settle(jobId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE reservation SET state = 'settled' WHERE job_id = $1 AND state = 'held'`,
      [jobId],
    );
  }

  private async call(parameters: unknown[]): Promise<Outcome | undefined> {
    try {
      const sql = 'SELECT * FROM reserve($1, $2, $3, $4, $5)';
      const [row] = await this.dataSource.query<Outcome[]>(sql, parameters);
      return row;
    } catch (error) {
      if (error instanceof QueryFailedError && error.driverError.code === TAKEN_MEANWHILE) return undefined;
      throw error;
    }
  }
}

function toRefusal(layer: 'session' | 'plan', outcome: Outcome): LimitRefusal {
  return {
    layer,
    limit: outcome.day_limit,
    used: outcome.day_used,
    resetAt: outcome.reset_at.toISOString(),
    retryAfterSeconds: outcome.retry_after,
  };
}

/**
 * One `clientMessageId` is being sent from two sessions at once. The unit belongs to the first; letting the second go
 * would send a message that its own session's counter never saw. Tried again, the gateway finds the first job.
 */
function takenElsewhere(): AppError {
  return new AppError('UPSTREAM_UNAVAILABLE', 'This job is being sent from another session at this moment.');
}
