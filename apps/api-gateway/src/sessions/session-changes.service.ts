import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  DeleteBoundEndpoint,
  GetBoundEndpoint,
  GetSession,
  type SessionState,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type AuditFact, AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/caller.js';
import { SessionChange } from './session-change.entity.js';

/** A session and the endpoint bound to it, as their owners know them. */
export interface SessionPair {
  session: SessionState;
  endpoint: WebhookEndpointWithSecret | null;
}

/** Longer than all steps of a change and their time-outs together. */
const CRASHED_AFTER_S = 30;
/** A step that was not answered in time may still happen. */
const LATE_S = 5;
const WAIT_MS = 8_000;
const POLL_MS = 50;

const CLAIM_SQL = `INSERT INTO session_change (session_id, id, tenant_id, actor, settle_at)
  VALUES ($1, $2, $3, $4, clock_timestamp() + interval '${CRASHED_AFTER_S} seconds')
  ON CONFLICT DO NOTHING RETURNING session_id`;

const POSTPONE_SQL = `UPDATE session_change SET settle_at = clock_timestamp() + interval '${LATE_S} seconds'
  WHERE session_id = $1 AND id = $2`;

/**
 * Changes that involve the session's owner, the dispatcher and the audit log. A row says that one is under way before its
 * first step: changes of one session follow each other, and what a crash or a service that is away interrupts is
 * finished later from what has become of it. The audit log gets its lines in the transaction that ends the row, so none
 * is lost and none is doubled.
 */
@Injectable()
export class SessionChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
  ) {}

  /** Takes the steps while no other change of this session is under way. */
  async run<T>(caller: Caller, sessionId: string, steps: (change: SessionChange) => Promise<T>): Promise<T> {
    const change = await this.claim(caller, sessionId);
    try {
      const result = await steps(change);
      await this.trySettle(change);
      return result;
    } catch (error) {
      if ((error as AppError).code === 'UPSTREAM_TIMEOUT') await this.postpone(change);
      else await this.trySettle(change);
      throw error;
    }
  }

  /** What the change finds, kept before it changes anything. */
  async look(change: SessionChange): Promise<SessionPair> {
    const { tenantId, sessionId } = change;
    const { session } = await this.rpc.request(GetSession, { tenantId, sessionId });
    const endpoint = await this.boundTo(change);
    change.modeBefore = session.botMode;
    change.secretBefore = endpoint && digestOf(endpoint);
    const { modeBefore, secretBefore } = change;
    await this.dataSource
      .getRepository(SessionChange)
      .update({ sessionId, id: change.id }, { modeBefore, secretBefore });
    return { session, endpoint };
  }

  /** Ends a change by what has become of it: writes its traces, and parts a deleted session from its endpoint. */
  async settle(change: SessionChange): Promise<void> {
    const facts = await this.outcomeOf(change);
    const { sessionId, id } = change;
    await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.delete(SessionChange, { sessionId, id });
      if (!affected) return; // somebody else was faster, and wrote them
      for (const fact of facts) await this.audit.write(fact, tx);
    });
  }

  /** What cannot be settled now is settled by the sweeper: the caller has an answer that is true without it. */
  async trySettle(change: SessionChange): Promise<void> {
    try {
      await this.settle(change);
    } catch (error) {
      log().warn({ sessionId: change.sessionId, err: error }, 'a change of a session is finished later');
      await this.postpone(change);
    }
  }

  private async claim(caller: Caller, sessionId: string): Promise<SessionChange> {
    const { tenantId } = caller;
    const change = { sessionId, id: uuidv7(), tenantId, actor: actorOf(caller) };
    const until = performance.now() + WAIT_MS;
    for (;;) {
      const values = [sessionId, change.id, tenantId, change.actor];
      const rows = await this.dataSource.query<object[]>(CLAIM_SQL, values);
      if (rows.length > 0) return Object.assign(new SessionChange(), change);
      if (performance.now() > until) {
        throw new AppError('UPSTREAM_UNAVAILABLE', 'Another change of this session is not finished yet.');
      }
      await sleep(POLL_MS);
    }
  }

  private async postpone({ sessionId, id }: SessionChange): Promise<void> {
    await this.dataSource
      .query(POSTPONE_SQL, [sessionId, id])
      .catch((error: unknown) => log().warn({ sessionId, err: error }, 'a change waits for its time'));
  }

  private async outcomeOf(change: SessionChange): Promise<AuditFact[]> {
    const { tenantId, sessionId, actor } = change;
    const session = await this.find(change);
    if (!session) {
      await this.rpc.request(DeleteBoundEndpoint, { tenantId, sessionId, actor });
      return [];
    }
    return change.modeBefore ? factsOf(change, { session, endpoint: await this.boundTo(change) }) : [];
  }

  private async find({ tenantId, sessionId }: SessionChange): Promise<SessionState | null> {
    try {
      return (await this.rpc.request(GetSession, { tenantId, sessionId })).session;
    } catch (error) {
      if ((error as AppError).code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }

  private async boundTo({ tenantId, sessionId }: SessionChange): Promise<WebhookEndpointWithSecret | null> {
    return (await this.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).endpoint ?? null;
  }
}

function factsOf(change: SessionChange, { session, endpoint }: SessionPair): AuditFact[] {
  const { tenantId, actor, sessionId: target, modeBefore: before, secretBefore } = change;
  const facts: AuditFact[] = [];
  if (session.botMode !== before) {
    const details = { before, after: session.botMode };
    facts.push({ tenantId, actor, action: 'bot_mode.changed', target, details });
  }
  if (secretBefore && endpoint && !digestOf(endpoint).equals(secretBefore)) {
    facts.push({ tenantId, actor, action: 'webhook_secret.rotated', target });
  }
  return facts;
}

function digestOf({ secret }: WebhookEndpointWithSecret): Buffer {
  return createHash('sha256').update(secret).digest();
}
