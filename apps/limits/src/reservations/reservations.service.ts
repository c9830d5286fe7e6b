import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type LimitLayer,
  type MessageFailedV1,
  type ReserveReply,
  type ReserveV1,
  TIER_CAPS,
} from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource, QueryFailedError } from 'typeorm';
import { CapsService } from '../caps/caps.service.js';
import { HealthService } from '../warmup/health.service.js';
import { type Outcome, replyOf } from './outcome.js';

/** A question with the cap of the plan that it is answered by. */
interface CappedQuestion {
  question: ReserveV1;
  /** Cap of the plan; null: no limit. */
  planCap: number | null;
}

/** A unit that is given back to these layers. */
interface Return {
  jobId: string;
  layers: readonly LimitLayer[];
}

/** Time for which a return waits for a database that is away; after it the event comes again. */
const RETURN_PATIENCE_MS = 5_000;

/** SQLSTATE that `reserve_all` raises when another session reserves the same job at the same moment. */
const JOB_CONFLICT = 'SV001';

/** SQLSTATE where another transaction holds a counter for longer than a send may wait. */
const LOCK_TIMEOUT = '55P03';

// A reservation does not wait for the disk: the row of the message that is written next makes both last (docs/adr/0026).
const RESERVE_SQL = `SELECT answer.* FROM set_config('synchronous_commit', 'off', true),
  reserve_all($1, $2, $3, $4, $5, $6) AS answer ORDER BY place`;

/** This service says whether one more message may go, exactly once per job. */
@Injectable()
export class ReservationsService {
  /** Questions that come while others are answered go together: one round trip and one commit for all of them. */
  private readonly questions = new GroupCommit<CappedQuestion, Outcome>({
    most: 128,
    // The asker gives up after five seconds.
    patienceMs: 2_000,
    write: (questions) => this.reserveAll(questions),
  });

  /** Group commit of the returns. One follows the other: they never take the connections from those who ask before a send. */
  private readonly returns = new GroupCommit<Return, void>({
    most: 1,
    patienceMs: RETURN_PATIENCE_MS,
    write: (returns) => this.returnUnits(returns),
  });

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly caps: CapsService,
    private readonly health: HealthService,
  ) {}

  /** Reserves one message, or says which layer refuses it. A repeat of a job gets the first answer. */
  async reserve(question: ReserveV1): Promise<ReserveReply> {
    const { messages: planCap } = question.caps ?? (await this.caps.ask(question.tenantId));
    const row = await this.questions.add({ question, planCap }).catch((error: unknown) => {
      if (sqlStateOf(error) === JOB_CONFLICT) throw otherSession();
      throw sqlStateOf(error) === LOCK_TIMEOUT ? new AppError('UPSTREAM_UNAVAILABLE') : error;
    });
    if (row.outcome === 'elsewhere') throw otherSession();
    return replyOf(row, planCap);
  }

  /**
   * Gives the unit of a failed message back to the layers that the event names, once, on the day it was taken from. Only then does the
   * failure count: counting it settles the unit.
   */
  async failed(message: MessageFailedV1): Promise<void> {
    const { givenBack: layers = [] } = message.failure;
    if (layers.length > 0) await this.returns.add({ jobId: message.jobId, layers });
    await this.health.failed(message);
  }

  private async returnUnits(returns: Return[]): Promise<void[]> {
    for (const { jobId, layers } of returns) {
      const parameters = [jobId, layers.includes('session'), layers.includes('plan')];
      await this.dataSource.query('SELECT give_back($1, $2, $3)', parameters);
    }
    return returns.map(() => undefined);
  }

  private reserveAll(questions: CappedQuestion[]): Promise<Outcome[]> {
    return this.dataSource.query<Outcome[]>(RESERVE_SQL, [
      questions.map(({ question }) => question.jobId),
      questions.map(({ question }) => question.tenantId),
      questions.map(({ question }) => question.sessionId),
      TIER_CAPS,
      questions.map(({ planCap }) => planCap),
      questions.map(({ question }) => question.onlyNew ?? false),
    ]);
  }
}

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
}

/**
 * Makes the error where one `clientMessageId` is being sent from two sessions at once. The unit belongs to the first; letting the second go
 * would send a message that its own session's counter never saw. Tried again, the gateway finds the first job.
 */
function otherSession(): AppError {
  return new AppError('UPSTREAM_UNAVAILABLE', 'This job is being sent from another session at this moment.');
}
