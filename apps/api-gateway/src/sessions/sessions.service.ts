import { Injectable } from '@nestjs/common';
import {
  AppError,
  ChangeSession,
  type ChangeSessionV1,
  CreateSession,
  type CreateSessionBody,
  GetSession,
  GetSessionQr,
  type GetSessionV1,
  GetTiers,
  ListSessions,
  type Page,
  type PageQuery,
  type PromoteTierBody,
  PromoteTier,
  type SessionQr,
  type SessionReply,
  type SessionState,
  type SessionView,
  type SubscriptionState,
  type TierPromotion,
  UpdateSession,
  type UpdateSessionBody,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { v7 as uuidv7 } from 'uuid';
import { actorOf, type Caller } from '../auth/caller.js';
import { Clearance } from '../http/clearance.js';
import { LimitsService } from '../limits/limits.service.js';
import { mostSessions } from '../limits/room.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Sessions as their owner `session-worker` knows them, with their tier from `limits`. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
    private readonly limits: LimitsService,
    private readonly clearance: Clearance,
  ) {}

  /** @throws AppError `RATE_LIMITED` where the plan has no room for another one. */
  async create(
    subscription: SubscriptionState,
    body: CreateSessionBody,
    { environment }: Caller,
  ): Promise<SessionView> {
    const { tenantId } = subscription;
    const most = mostSessions(subscription);
    const wanted = {
      ...{ ...body, tenantId, sessionId: uuidv7() },
      ...(most === null ? {} : { most }),
      ...(environment === 'TEST' ? { sandbox: true } : {}),
    };
    const { session } = await this.rpc.request(CreateSession, wanted).catch(async (error: AppError) => {
      throw error.code === 'RATE_LIMITED' ? await this.limits.withReset(subscription, error) : error;
    });
    return { ...session, warmupTier: 0 };
  }

  async list(tenantId: string, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<SessionView>> {
    const list = `sessions:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const { sessions } = await this.rpc.request(ListSessions, {
      tenantId,
      limit: limit + 1,
      ...(last ? { before: last } : {}),
    });
    const page = this.cursors.page(list, sessions, limit, (session) => session.id);
    return { ...page, items: await this.withTiers(page.items) };
  }

  /**
   * A session of this tenant.
   * @throws AppError `SESSION_NOT_FOUND`, or `FORBIDDEN` for another tenant's.
   */
  async owned(tenantId: string, sessionId: string): Promise<SessionState> {
    return (await this.placed(tenantId, sessionId)).session;
  }

  /** As `owned`, with its place among the sessions of the tenant. */
  placed(tenantId: string, sessionId: string): Promise<SessionReply> {
    return this.read({ tenantId, sessionId }, 'ask');
  }

  /** As `placed`, as it stood a moment ago, for what asks often: older sessions are counted as far as the tenant may have any. */
  placedLately(subscription: SubscriptionState, sessionId: string): Promise<SessionReply> {
    const { tenantId } = subscription;
    return this.read({ tenantId, sessionId, countOlderTo: mostSessions(subscription) ?? 0 }, 'known');
  }

  /** @throws AppError `RATE_LIMITED` where the session is read-only. */
  async connect(subscription: SubscriptionState, sessionId: string): Promise<SessionState> {
    await this.assertWritable(subscription, sessionId);
    return this.change(subscription.tenantId, sessionId, 'connect');
  }

  /** @throws AppError `RATE_LIMITED` where the session is read-only: the plan has no room for it. */
  async assertWritable(subscription: SubscriptionState, sessionId: string): Promise<void> {
    await this.limits.assertWritable(subscription, await this.placed(subscription.tenantId, sessionId));
  }

  async view(tenantId: string, sessionId: string): Promise<SessionView> {
    return this.withTier(await this.owned(tenantId, sessionId));
  }

  async update(tenantId: string, sessionId: string, body: UpdateSessionBody): Promise<SessionView> {
    const { session } = await this.rpc.request(UpdateSession, { ...body, tenantId, sessionId });
    return this.withTier(session);
  }

  async change(
    tenantId: string,
    sessionId: string,
    action: ChangeSessionV1['action'],
  ): Promise<SessionState> {
    const { session } = await this.rpc.request(ChangeSession, { tenantId, sessionId, action });
    this.clearance.changed(tenantId);
    return session;
  }

  async withTier(session: SessionState): Promise<SessionView> {
    const [view] = await this.withTiers([session]);
    if (!view) throw new AppError('INTERNAL');
    return view;
  }

  qr(tenantId: string, sessionId: string): Promise<SessionQr> {
    return this.rpc.request(GetSessionQr, { tenantId, sessionId });
  }

  async promote(caller: Caller, sessionId: string, body: PromoteTierBody): Promise<TierPromotion> {
    const { tenantId } = caller;
    // `limits` does not know whose session it is; it believes what is asked.
    await this.owned(tenantId, sessionId);
    return this.rpc.request(PromoteTier, { ...body, tenantId, sessionId, actor: actorOf(caller) });
  }

  private read(request: GetSessionV1, how: 'ask' | 'known'): Promise<SessionReply> {
    const ask = (): Promise<SessionReply> => this.rpc.request(GetSession, request);
    return this.clearance.sessions[how](`${request.tenantId}/${request.sessionId}`, ask);
  }

  private async withTiers(sessions: SessionState[]): Promise<SessionView[]> {
    if (sessions.length === 0) return [];
    const { tiers } = await this.rpc.request(GetTiers, { sessionIds: sessions.map(({ id }) => id) });
    const byId = new Map(tiers.map(({ sessionId, tier }) => [sessionId, tier]));
    return sessions.map((session) => ({ ...session, warmupTier: byId.get(session.id) ?? 0 }));
  }
}
