import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type DayUsage,
  type LimitLayer,
  refusalBy,
  type ReserveReply,
  type ReserveV1,
  TIER_CAPS,
  WRITE_WITHIN_MS,
} from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource, QueryFailedError } from 'typeorm';
import { planCap } from './caps.js';

/** What the database function `reserve_all` answers for each job; `known`, for one that was asked for with `onlyNew`, says no more. */
interface Outcome {
  outcome: 'admitted' | 'known' | 'session' | 'plan' | 'elsewhere';
  session_limit: number;
  session_used: number;
  plan_used: number;
  reset_at: Date;
  retry_after: number;
  held_at: Date | null;
}

/** A unit that comes back. */
interface Return {
  jobId: string;
  layers: readonly LimitLayer[];
}

/** Where the database is away for longer, the event comes again. */
const RETURN_PATIENCE_MS = 5_000;

/** SQLSTATE raised by `reserve_all` when another session took a job at the same moment. */
const TAKEN_MEANWHILE = 'SV001';

/** Somebody holds a counter for longer than a send may wait. */
const LOCK_TIMEOUT = '55P03';

// Nobody waits for the disk here: the row of the message that is written next makes both last (docs/adr/0026).
const RESERVE_SQL = `SELECT answer.* FROM set_config('synchronous_commit', 'off', true),
  reserve_all($1, $2, $3, $4, $5, $6) AS answer ORDER BY place`;

/** Says whether one more message may go, exactly once per job. */
@Injectable()
export class ReservationsService {
  /** Questions that come while others are answered go together: one round trip and one commit for all of them. */
  private readonly questions = new GroupCommit<ReserveV1, Outcome>({
    most: 128,
    // Whoever asks gives up after five seconds.
    patienceMs: 2_000,
    write: (questions) => this.ask(questions),
  });

  /** One after the other: they never take the connections from those who ask before a send. */
  private readonly returns = new GroupCommit<Return, void>({
    most: 1,
    patienceMs: RETURN_PATIENCE_MS,
    write: (returns) => this.returnUnits(returns),
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async reserve(question: ReserveV1): Promise<ReserveReply> {
    const row = await this.questions.add(question).catch((error: unknown) => {
      if (sqlStateOf(error) === TAKEN_MEANWHILE) throw takenElsewhere();
      throw sqlStateOf(error) === LOCK_TIMEOUT ? new AppError('UPSTREAM_UNAVAILABLE') : error;
    });
    if (row.outcome === 'known') return { admitted: false, known: true };
    if (row.outcome === 'elsewhere') throw takenElsewhere();
    const usage = toUsage(row, planCap(question));
    if (row.outcome !== 'admitted') {
      return { admitted: false, refusal: refusalBy(row.outcome, usage), usage };
    }
    const heldAt = row.held_at as Date;
    return { admitted: true, usage, writeBefore: new Date(heldAt.getTime() + WRITE_WITHIN_MS).toISOString() };
  }

  /** The message of this job has failed: its unit comes back to these layers, once, on the day it was taken from. */
  giveBack(jobId: string, layers: readonly LimitLayer[]): Promise<void> {
    return this.returns.add({ jobId, layers });
  }

  private async returnUnits(returns: Return[]): Promise<void[]> {
    for (const { jobId, layers } of returns) {
      const parameters = [jobId, layers.includes('session'), layers.includes('plan')];
      await this.dataSource.query('SELECT give_back($1, $2, $3)', parameters);
    }
    return returns.map(() => undefined);
  }

  private ask(questions: ReserveV1[]): Promise<Outcome[]> {
    return this.dataSource.query<Outcome[]>(RESERVE_SQL, [
      questions.map(({ jobId }) => jobId),
      questions.map(({ tenantId }) => tenantId),
      questions.map(({ sessionId }) => sessionId),
      TIER_CAPS,
      questions.map(planCap),
      questions.map(({ onlyNew = false }) => onlyNew),
    ]);
  }
}

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
}

function toUsage(row: Outcome, planLimit: number | null): DayUsage {
  return {
    sessionLimit: row.session_limit,
    sessionUsed: row.session_used,
    planLimit,
    planUsed: row.plan_used,
    resetAt: row.reset_at.toISOString(),
    secondsLeft: row.retry_after,
  };
}

/**
 * One `clientMessageId` is being sent from two sessions at once. The unit belongs to the first; letting the second go
 * would send a message that its own session's counter never saw. Tried again, the gateway finds the first job.
 */
function takenElsewhere(): AppError {
  return new AppError('UPSTREAM_UNAVAILABLE', 'This job is being sent from another session at this moment.');
}
