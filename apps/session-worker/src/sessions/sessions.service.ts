import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  type ChangeSessionV1,
  type CreateSessionV1,
  type GetSessionV1,
  invalidField,
  limitReached,
  type ListSessionsV1,
  MORE_SESSIONS,
  MOST_SESSIONS,
  partitionOf,
  ReconcileSession,
  type SessionCount,
  type SessionQr,
  type SessionRef,
  type SessionReply,
  type SessionState,
  type TenantRef,
  type UpdateSessionV1,
} from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { log } from '@svc/service';
import { type EntityManager, LessThan, Not, Repository, type SelectQueryBuilder } from 'typeorm';
import { proxyRow, Vault } from '../credentials/vault.js';
import { Proxies, withoutCredentials } from '../platform/proxy.js';
import { keptBytes } from './kept-bytes.js';
import { SessionRoutes } from './session-routes.js';
import { Session, type WantedState } from './session.entity.js';
import { toSessionState } from './session-rows.js';
import { WorkerConfig } from '../config.js';

const WANTED: Record<ChangeSessionV1['action'], WantedState> = {
  connect: 'CONNECTED',
  disconnect: 'DISCONNECTED',
  logout: 'LOGGED_OUT',
  delete: 'DELETED',
};

/** Answers questions about any session in any worker: it writes wishes into the row; the owner of the partition acts on them. */
@Injectable()
export class SessionsService {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly messaging: Messaging,
    private readonly config: WorkerConfig,
    private readonly vault: Vault,
    private readonly proxies: Proxies,
    private readonly routes: SessionRoutes,
  ) {}

  /** Makes the columns of a wish to be connected: QR codes are shown while they are viewed, for a while. */
  private linkFromNow(): { lookedAtUntil: () => string; linkUntil: () => string } {
    const { qrLookMs, linkTimeoutMs } = this.config;
    return { lookedAtUntil: () => fromNow(qrLookMs), linkUntil: () => fromNow(linkTimeoutMs) };
  }

  /**
   * Creates a session; a repeat with the same id returns the result of the first call.
   * @throws AppError `SANDBOX_UNAVAILABLE`, `RATE_LIMITED`
   */
  async create({ most, ...request }: CreateSessionV1): Promise<SessionState> {
    const { tenantId, sessionId, name, proxy, alwaysOnline = false, sandbox = false } = request;
    const { rejectCalls = false, callReply = null } = request;
    if (sandbox) this.routes.toSandbox();
    const route = this.sealed(sessionId, proxy);
    const partition = partitionOf(sessionId);
    await this.sessions.manager.transaction(async (tx) => {
      if (most !== undefined) await assertRoom(tx, request, most);
      await tx
        .createQueryBuilder()
        .insert()
        .into(Session)
        .values({
          ...{ id: sessionId, tenantId, name, partition, alwaysOnline, sandbox, rejectCalls, callReply },
          ...{ ...route, ...this.linkFromNow() },
        })
        .orIgnore()
        .execute();
    });
    await this.askOwner(tenantId, sessionId);
    return this.get({ tenantId, sessionId });
  }

  async count({ tenantId }: TenantRef): Promise<SessionCount> {
    const [count, mediaBytes] = await Promise.all([
      this.sessions.countBy({ tenantId, wanted: Not('DELETED') }),
      keptBytes(this.sessions.manager.connection, tenantId),
    ]);
    return { count, mediaBytes };
  }

  async get(ref: SessionRef): Promise<SessionState> {
    const { entities, raw } = await this.withTwins()
      .where({ id: ref.sessionId, wanted: Not('DELETED') })
      .getRawAndEntities<Twins>();
    return toSessionState(assertMine(entities[0], ref), raw[0]?.twins);
  }

  /** Reads a session with its place among the sessions of its tenant: those that a plan has no room for are the youngest. */
  async getWithRank({ countOlderTo = MOST_SESSIONS, ...ref }: GetSessionV1): Promise<SessionReply> {
    const { entities, raw } = await this.withTwins()
      .addSelect(OLDER_SQL, 'older')
      .setParameter('most', countOlderTo)
      .where({ id: ref.sessionId, wanted: Not('DELETED') })
      .getRawAndEntities<Twins & { older: number }>();
    const row = assertMine(entities[0], ref);
    const { modeVersion, sandbox } = row;
    return { session: toSessionState(row, raw[0]?.twins), older: raw[0]?.older ?? 0, modeVersion, sandbox };
  }

  async list({ tenantId, limit, before }: ListSessionsV1): Promise<SessionState[]> {
    const { entities, raw } = await this.withTwins()
      .where({ tenantId, wanted: Not('DELETED'), ...(before ? { id: LessThan(before) } : {}) })
      .orderBy('session.id', 'DESC')
      .limit(limit)
      .getRawAndEntities<Twins>();
    return entities.map((session, place) => toSessionState(session, raw[place]?.twins));
  }

  /** Reads sessions, each with the others of its tenant that its number is linked to. */
  private withTwins(): SelectQueryBuilder<Session> {
    return this.sessions.createQueryBuilder('session').addSelect(TWINS_SQL, 'twins');
  }

  /** Changes a session: a connected one connects anew where its proxy changes; one that is not connected does so at the next wish. */
  async update({
    name,
    proxy,
    alwaysOnline,
    rejectCalls,
    callReply,
    ...ref
  }: UpdateSessionV1): Promise<SessionState> {
    const { id, tenantId } = await this.find(ref);
    const route = this.sealed(id, proxy);
    const isOwners = proxy !== undefined || alwaysOnline !== undefined;
    const nextVersion = `wanted_version + (status NOT IN ('DISCONNECTED', 'LOGGED_OUT'))::int`;
    await this.sessions.update(
      { id, tenantId },
      {
        ...(name === undefined ? {} : { name }),
        ...route,
        ...(alwaysOnline === undefined ? {} : { alwaysOnline }),
        ...(rejectCalls === undefined ? {} : { rejectCalls }),
        ...(callReply === undefined ? {} : { callReply }),
        ...(isOwners ? { wantedVersion: () => nextVersion } : {}),
        id,
      },
    );
    if (isOwners) await this.askOwner(tenantId, id);
    return this.get(ref);
  }

  async change({ action, actor, ...ref }: ChangeSessionV1): Promise<SessionState> {
    const session = await this.find(ref);
    // A session that is deleted meanwhile stays so, whatever another caller wishes at the same moment.
    await this.sessions.update(
      { id: session.id, tenantId: session.tenantId, wanted: Not('DELETED') },
      {
        wanted: WANTED[action],
        wantedBy: actor ?? null,
        wantedVersion: () => 'wanted_version + 1',
        ...(action === 'connect' ? this.linkFromNow() : {}),
      },
    );
    await this.askOwner(ref.tenantId, ref.sessionId);
    return action === 'delete' ? toSessionState(session) : this.get(ref);
  }

  /**
   * Asks for a connection that shows how to link a number; this counts as a view.
   * @throws AppError `ALREADY_LINKED`
   */
  async wantLink(ref: SessionRef): Promise<void> {
    const { status, phone } = await this.find(ref);
    if (phone !== null) throw new AppError('ALREADY_LINKED', undefined, { status, phone });
    await this.change({ tenantId: ref.tenantId, sessionId: ref.sessionId, action: 'connect' });
  }

  /** Reads the QR code; this counts as a view. */
  async qr(ref: SessionRef): Promise<SessionQr> {
    const { id, status, qr, qrExpiresAt } = await this.find(ref);
    if (status !== 'AWAITING_SCAN' || !qr || !qrExpiresAt || qrExpiresAt.getTime() <= Date.now()) {
      throw new AppError('QR_CONFLICT', `There is no QR code to show: the session is ${status}.`, { status });
    }
    await this.view(id);
    return { qr, expiresAt: qrExpiresAt.toISOString() };
  }

  /** Counts a view of a session that is being linked. */
  async look(ref: SessionRef): Promise<void> {
    const { id, status } = await this.find(ref);
    if (status === 'PASSKEY_REQUIRED') await this.view(id);
  }

  /** Makes the columns of a proxy: the whole address is sealed, what may be shown is not. */
  private sealed(sessionId: string, text: string | null | undefined): Partial<Session> {
    if (text === undefined) return {};
    if (text === null) return { proxy: null, proxyAddress: null };
    const rule = this.proxies.problemWith(text);
    if (rule) throw invalidField('proxy', rule);
    const proxy = this.vault.seal(proxyRow(sessionId), Buffer.from(text));
    return { proxy, proxyAddress: withoutCredentials(text) };
  }

  private async view(id: string): Promise<void> {
    const until = `least(link_until, ${fromNow(this.config.qrLookMs)})`;
    await this.sessions.update({ id }, { lookedAtUntil: () => until });
  }

  private async find(ref: SessionRef): Promise<Session> {
    return assertMine(await this.sessions.findOneBy({ id: ref.sessionId, wanted: Not('DELETED') }), ref);
  }

  private async askOwner(tenantId: string, sessionId: string): Promise<void> {
    try {
      await this.messaging.publishCommand(
        sessionId,
        envelopeOf(ReconcileSession, { tenantId }, { sessionId }),
      );
    } catch (error) {
      // The owner looks for wishes it has not carried out every few seconds.
      log().warn({ sessionId, err: error }, 'the owner hears of the change later');
    }
  }
}

interface Twins {
  twins: string[];
}

/** Some are enough to say so. */
const MOST_TWINS = 10;

const TWINS_SQL = `ARRAY(SELECT twin.id::text FROM session twin
  WHERE twin.tenant_id = session.tenant_id AND twin.phone = session.phone AND twin.id <> session.id AND twin.wanted <> 'DELETED'
  ORDER BY twin.id LIMIT ${MOST_TWINS})`;

/**
 * Older sessions are those created earlier, and of the same moment those with a lower id. Bounded by the question, because each send asks
 * and some tenants have no bound.
 */
const OLDER_SQL = `(SELECT count(*)::int FROM (
  SELECT FROM session older WHERE older.tenant_id = session.tenant_id AND older.wanted <> 'DELETED'
    AND (older.created_at, older.id) < (session.created_at, session.id)
  LIMIT :most) counted)`;

/**
 * Returns the session where it is the tenant's.
 * @throws AppError `SESSION_NOT_FOUND`, or `FORBIDDEN` for another tenant's.
 */
export function assertMine(session: Session | null | undefined, { tenantId }: SessionRef): Session {
  if (!session) throw new AppError('SESSION_NOT_FOUND');
  if (session.tenantId !== tenantId) throw new AppError('FORBIDDEN');
  return session;
}

/** Namespace of the advisory locks of creation, one per tenant: the last place is not given away twice. */
const CREATION_LOCK = 0x5c_30;

/** @throws AppError `RATE_LIMITED` where the tenant has `most` sessions besides this one. */
async function assertRoom(
  tx: EntityManager,
  { tenantId, sessionId }: SessionRef,
  most: number,
): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [CREATION_LOCK, tenantId]);
  const others = { tenantId, id: Not(sessionId), wanted: Not('DELETED' as const) };
  const used = await tx.countBy(Session, others);
  if (used < most) return;
  throw limitReached(
    'plan',
    `The sessions of the plan are used up: it has room for ${most}. ${MORE_SESSIONS}`,
    {
      resource: 'sessions',
      limit: most,
      used,
    },
  );
}

const fromNow = (ms: number): string => `clock_timestamp() + interval '${ms} milliseconds'`;
