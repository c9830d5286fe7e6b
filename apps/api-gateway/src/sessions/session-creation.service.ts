import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CreatedSession,
  type CreateSessionBody,
  invalidField,
  type SessionView,
  type SubscriptionState,
} from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { actorOf, type Caller } from '../auth/authorization.js';
import { ExternalConfigService } from './external-config.service.js';
import { SessionAssistantService } from './session-assistant.service.js';
import { SessionsService } from './sessions.service.js';

const SWEEP_MS = 2_000;
const BATCH = 20;

const BEGIN_SQL = 'INSERT INTO session_creation (session_id, tenant_id, actor) VALUES ($1, $2, $3)';
const COMPLETE_SQL = 'DELETE FROM session_creation WHERE session_id = $1 AND NOT undone RETURNING 1';
// The time is that of the server's clock. A creation that takes a minute was cut off; the claim comes round again after a crash.
const CLAIM_SQL = `UPDATE session_creation SET undone = true, due_at = clock_timestamp() + interval '10 seconds'
  WHERE session_id IN (SELECT session_id FROM session_creation WHERE due_at <= statement_timestamp()
    ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING session_id AS "sessionId", tenant_id AS "tenantId", actor`;
const FORGET_SQL = 'DELETE FROM session_creation WHERE session_id = $1';

interface Creation {
  sessionId: string;
  tenantId: string;
  actor: string;
}

/**
 * This class creates sessions. One whose answerer was asked for is made by two services; a row says that it is under way, and whatever cuts it off, a
 * session whose creation has not been completed is deleted, and its endpoint with it.
 */
@Injectable()
export class SessionCreationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
    private readonly external: ExternalConfigService,
    private readonly assistant: SessionAssistantService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('creations of sessions', SWEEP_MS, () => this.sweep());
  }

  /** @throws AppError `VALIDATION_FAILED`, or `RATE_LIMITED` where the plan has no room for another one. */
  async create(
    subscription: SubscriptionState,
    { botMode, webhookUrl, ...body }: CreateSessionBody,
    caller: Caller,
  ): Promise<CreatedSession> {
    const order = { ...body, sessionId: uuidv7() };
    if (botMode === 'EXTERNAL') {
      if (webhookUrl == null)
        throw invalidField('webhookUrl', 'webhookUrl is required with botMode EXTERNAL');
      const change = { enabled: true, webhookUrl };
      return this.createWith(subscription, order, caller, async (session) => {
        const externalConfig = await this.external.put(caller, session.id, change);
        const { botMode, answers } = externalConfig;
        return { ...session, botMode, answers, externalConfig };
      });
    }
    if (webhookUrl != null)
      throw invalidField('webhookUrl', 'webhookUrl must be given with botMode EXTERNAL only');
    // Nobody answers where no mode was asked for.
    if (botMode === undefined) return this.sessions.create(subscription, order, caller);
    return this.createWith(subscription, order, caller, async (session) => {
      await this.assistant.switchOn(caller, session.id);
      return { ...session, answers: 'assistant' };
    });
  }

  /** Creates a session and what answers it; where one of them fails, there is neither. */
  private async createWith(
    subscription: SubscriptionState,
    order: Parameters<SessionsService['create']>[1],
    caller: Caller,
    giveAnswerer: (session: SessionView) => Promise<CreatedSession>,
  ): Promise<CreatedSession> {
    const creation = { ...{ sessionId: order.sessionId, tenantId: caller.tenantId }, actor: actorOf(caller) };
    await this.dataSource.query(BEGIN_SQL, [creation.sessionId, creation.tenantId, creation.actor]);
    try {
      const created = await giveAnswerer(await this.sessions.create(subscription, order, caller));
      await this.complete(creation);
      return created;
    } catch (error) {
      await this.undo(creation, error);
      throw error;
    }
  }

  private async complete({ sessionId }: Creation): Promise<void> {
    // TypeORM answers DELETE … RETURNING with [rows, count].
    const [, count] = await this.dataSource.query<[object[], number]>(COMPLETE_SQL, [sessionId]);
    if (count === 0) throw new AppError('UPSTREAM_TIMEOUT', 'The session could not be created in time.');
  }

  /** Undoes at once what was done; where that fails, or may have come too early, the sweep does it again. */
  private async undo(creation: Creation, cause: unknown): Promise<void> {
    // A service that did not answer may create the session yet.
    const isCertain = cause instanceof AppError && cause.status < 500;
    try {
      await this.delete(creation);
      if (isCertain) await this.dataSource.query(FORGET_SQL, [creation.sessionId]);
    } catch (error) {
      log().warn({ sessionId: creation.sessionId, err: error }, 'a session is deleted later');
    }
  }

  private async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [due] = await this.dataSource.query<[Creation[], number]>(CLAIM_SQL);
    for (const creation of due) {
      await this.delete(creation);
      await this.dataSource.query(FORGET_SQL, [creation.sessionId]);
      log().info({ sessionId: creation.sessionId }, 'a session whose creation was cut off is deleted');
    }
  }

  private async delete({ tenantId, sessionId, actor }: Creation): Promise<void> {
    try {
      await this.sessions.change(tenantId, sessionId, 'delete', actor);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    }
  }
}
