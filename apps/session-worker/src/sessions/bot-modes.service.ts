import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type AuditFact,
  type BotMode,
  KeepToMode,
  partitionOf,
  SessionBotModeChanged,
  SessionModeChanged,
  type SessionRef,
  type SessionReply,
  type SetBotModeV1,
} from '@svc/contracts';
import { OwnerLine } from '@svc/ownership';
import {
  auditFactOf,
  AuditOutbox,
  eventOf,
  insertAuditFacts,
  insertEvents,
  OutboxService,
} from '@svc/service';
import { type EntityManager, Not, Repository } from 'typeorm';
import { Session } from './session.entity.js';
import { toSessionState } from './session-rows.js';
import { assertMine } from './sessions.service.js';

/** Longest wait for the owner, in ms: whoever switches the mode waits for it. */
const OWNER_TIMEOUT_MS = 2_000;

const OPEN_SQL = `SELECT EXISTS (SELECT FROM outbound_message WHERE session_id = $1 AND status IN ('QUEUED', 'SENDING')
  AND only_in_mode <> $2) AS open`;

/** Switches who answers a session; once it has returned, nothing goes out that is of another mode. */
@Injectable()
export class BotModesService {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly outbox: OutboxService,
    private readonly audit: AuditOutbox,
    private readonly owners: OwnerLine,
  ) {}

  /**
   * Switches the mode, with its event and its line of the audit log; where the session is not at `ifVersion` any more, it stays as it is.
   * @throws AppError `UPSTREAM_*` where the mode has changed and the owner of the session does not say that it keeps to it; a repeat asks again.
   */
  async set(request: SetBotModeV1): Promise<SessionReply> {
    const { session, facts, events } = await this.sessions.manager.transaction((tx) => write(tx, request));
    this.outbox.publish(events);
    await this.audit.deliver(facts);
    await this.settle(request, session.botMode);
    return { session: toSessionState(session), modeVersion: session.modeVersion };
  }

  /** Waits until nothing is in hand that is of another mode. What is claimed from now on is claimed by this one. */
  private async settle({ tenantId, sessionId }: SessionRef, botMode: BotMode): Promise<void> {
    const [row] = await this.sessions.query<{ open: boolean }[]>(OPEN_SQL, [sessionId, botMode]);
    if (!row?.open) return;
    const question = { tenantId, sessionId, botMode };
    await this.owners.ask(KeepToMode, partitionOf(sessionId), question, OWNER_TIMEOUT_MS);
  }
}

async function write(tx: EntityManager, { botMode, actor, ...request }: SetBotModeV1) {
  const where = { id: request.sessionId, wanted: Not('DELETED' as const) };
  const row = await tx.findOne(Session, { where, lock: { mode: 'pessimistic_write' } });
  const session = assertMine(row, request);
  if (!mayChange(session, request)) return { session, facts: [], events: [] };
  const { reason } = request;
  const before = session.botMode;
  session.botMode = botMode;
  session.modeReason = reason === 'FAILOVER' ? reason : null;
  if (botMode === 'MANAGED') session.modeVersion += 1;
  const { id, modeVersion, modeReason } = session;
  await tx.update(Session, { id }, { botMode, modeVersion, modeReason });
  if (before === botMode) return { session, facts: [], events: [] };
  const facts = [await modeFact(tx, session, before, { actor, reason })];
  await insertAuditFacts(tx, facts);
  const events = modeEvents(session, before, { actor, reason });
  await insertEvents(tx, events);
  return { session, facts, events };
}

/** Says whether a change holds for the session as it is: a fail-over and its end leave alone what somebody has asked for meanwhile. */
function mayChange(
  { botMode, modeReason, modeVersion }: Session,
  { ifVersion = modeVersion, reason }: Pick<SetBotModeV1, 'ifVersion' | 'reason'>,
): boolean {
  if (ifVersion !== modeVersion) return false;
  if (reason === 'FAILOVER') return botMode === 'EXTERNAL';
  return reason === undefined || modeReason === 'FAILOVER';
}

type Origin = Pick<SetBotModeV1, 'actor' | 'reason'>;

/** Makes the event for whoever answers the session, and the one for the tenant. */
function modeEvents({ id: sessionId, tenantId, botMode, modeVersion }: Session, before: BotMode, by: Origin) {
  const { actor, reason } = by;
  const timestamp = new Date().toISOString();
  const origin = { ...(actor && { actor }), ...(reason && { reason }) };
  const change = { sessionId, before, botMode, modeVersion, ...origin, timestamp };
  return [
    eventOf(SessionModeChanged, tenantId, change),
    eventOf(SessionBotModeChanged, tenantId, { sessionId, botMode, reason: reason ?? null, timestamp }),
  ];
}

/** Makes the fact of a change of mode, in domain time. */
async function modeFact(
  tx: EntityManager,
  { id: target, tenantId, botMode: after }: Session,
  before: BotMode,
  { actor = 'system', reason }: Origin,
): Promise<AuditFact> {
  const [row] = await tx.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  const at = row?.now ?? new Date();
  const details = { before, after, ...(reason && { reason }) };
  return auditFactOf({ tenantId, actor, action: 'bot_mode.changed', target, at, details });
}
