import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type AuditFact,
  type BotMode,
  KeepToMode,
  partitionOf,
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

async function write(tx: EntityManager, { botMode, ifVersion, actor, ...ref }: SetBotModeV1) {
  const where = { id: ref.sessionId, wanted: Not('DELETED' as const) };
  const row = await tx.findOne(Session, { where, lock: { mode: 'pessimistic_write' } });
  const session = assertMine(row, ref);
  const unchanged = { session, facts: [], events: [] };
  if (ifVersion !== undefined && ifVersion !== session.modeVersion) return unchanged;
  const before = session.botMode;
  session.botMode = botMode;
  if (botMode === 'MANAGED') session.modeVersion += 1;
  const { id, tenantId, modeVersion } = session;
  await tx.update(Session, { id }, { botMode, modeVersion });
  if (before === botMode) return unchanged;
  const facts = [await modeFact(tx, session, before, actor)];
  await insertAuditFacts(tx, facts);
  const timestamp = new Date().toISOString();
  const change = { sessionId: id, before, botMode, modeVersion, ...(actor && { actor }), timestamp };
  const events = [eventOf(SessionModeChanged, tenantId, change)];
  await insertEvents(tx, events);
  return { session, facts, events };
}

/** Makes the fact of a change of mode, in domain time. */
async function modeFact(
  tx: EntityManager,
  { id: target, tenantId, botMode: after }: Session,
  before: BotMode,
  actor = 'system',
): Promise<AuditFact> {
  const [row] = await tx.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  const at = row?.now ?? new Date();
  return auditFactOf({ tenantId, actor, action: 'bot_mode.changed', target, at, details: { before, after } });
}
