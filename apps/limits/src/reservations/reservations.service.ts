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

/** SQLSTATE raised by `reserve_all` when another session took a job at the same moment. */
const TAKEN_MEANWHILE = 'SV001';

/** Somebody holds a counter for longer than a send may wait. */
const LOCK_TIMEOUT = '55P03';

const RESERVE_SQL = 'SELECT * FROM reserve_all($1, $2, $3, $4, $5, $6) ORDER BY place';

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
  async giveBack(jobId: string, layers: readonly LimitLayer[]): Promise<void> {
    const parameters = [jobId, layers.includes('session'), layers.includes('plan')];
    await this.dataSource.query('SELECT give_back($1, $2, $3)', parameters);
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
