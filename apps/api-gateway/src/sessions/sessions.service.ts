import { Injectable } from '@nestjs/common';
import {
  type Answerer,
  AppError,
  ChangeSession,
  type ChangeSessionV1,
  CreateSession,
  type CreateSessionV1,
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
  SetBotMode,
  type SetBotModeV1,
  type SubscriptionState,
  type TierPromotion,
  UpdateSession,
  type UpdateSessionBody,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Answerers } from '../assistant/answerers.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { SendPermissions } from '../auth/send-permissions.js';
import { BotKeys } from '../keys/bot-keys.service.js';
import { LimitsService } from '../limits/limits.service.js';
import { isReadOnly, mostSessions } from '../limits/entitlements.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';

/** Order for a session, under the id that it is to have. */
type NewSession = Omit<CreateSessionV1, 'tenantId' | 'most' | 'sandbox'>;

/** This class asks `session-worker` for sessions, and `limits` for their tiers. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly cursors: Cursors,
    private readonly limits: LimitsService,
    private readonly permissions: SendPermissions,
    private readonly botKeys: BotKeys,
    private readonly answerers: Answerers,
  ) {}

  /** @throws AppError `RATE_LIMITED` where the plan has no room for another one. */
  async create(
    subscription: SubscriptionState,
    body: NewSession,
    { environment }: Caller,
  ): Promise<SessionView> {
    const { tenantId } = subscription;
    const most = mostSessions(subscription);
    const request = {
      ...{ ...body, tenantId },
      ...(most === null ? {} : { most }),
      ...(environment === 'TEST' ? { sandbox: true } : {}),
    };
    const { session } = await this.rpc.request(CreateSession, request).catch(async (error: AppError) => {
      throw error.code === 'RATE_LIMITED' ? await this.limits.withReset(subscription, error) : error;
    });
    return viewOf(session, 0);
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
   * Reads a session of this tenant.
   * @throws AppError `SESSION_NOT_FOUND`, or `FORBIDDEN` for another tenant's.
   */
  async owned(tenantId: string, sessionId: string): Promise<SessionState> {
    return (await this.withRank(tenantId, sessionId)).session;
  }

  /** Reads a session of this tenant, with its rank among those that the plan has room for. */
  withRank(tenantId: string, sessionId: string): Promise<SessionReply> {
    return this.read({ tenantId, sessionId }, 'fresh');
  }

  /**
   * Reads from the cache what `withRank` reads, for callers that ask often: older sessions are counted up to the number that the tenant may
   * have.
   */
  withRankCached(subscription: SubscriptionState, sessionId: string): Promise<SessionReply> {
    const { tenantId } = subscription;
    return this.read({ tenantId, sessionId, countOlderTo: mostSessions(subscription) ?? 0 }, 'cached');
  }

  /** @throws AppError `RATE_LIMITED` where the session is read-only. */
  async connect(subscription: SubscriptionState, sessionId: string): Promise<SessionState> {
    await this.assertWritable(subscription, sessionId);
    return this.change(subscription.tenantId, sessionId, 'connect');
  }

  /** @throws AppError `RATE_LIMITED` where the session is read-only: the plan has no room for it. */
  async assertWritable(subscription: SubscriptionState, sessionId: string): Promise<void> {
    const ranked = await this.withRank(subscription.tenantId, sessionId);
    if (isReadOnly(subscription, ranked)) throw await this.limits.readOnlyRefusal(subscription);
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
    actor?: string,
  ): Promise<SessionState> {
    const request = { tenantId, sessionId, action, ...(actor === undefined ? {} : { actor }) };
    const { session } = await this.rpc.request(ChangeSession, request);
    this.permissions.invalidate(tenantId);
    return session;
  }

  /** Switches who answers; a send of the next moment is admitted by the new mode. */
  async setMode(
    caller: Caller,
    sessionId: string,
    change: Pick<SetBotModeV1, 'botMode' | 'ifVersion'>,
  ): Promise<SessionReply> {
    const { tenantId } = caller;
    const request = { tenantId, sessionId, ...change, actor: actorOf(caller) };
    const reply = await this.rpc.request(SetBotMode, request);
    this.permissions.invalidate(tenantId);
    return reply;
  }

  /**
   * Deletes a session, and the keys of its bot with it. The endpoint that is bound to it goes once the session has ended: the dispatcher gets
   * the event of that.
   */
  async delete(caller: Caller, sessionId: string): Promise<void> {
    const { tenantId } = caller;
    await this.change(tenantId, sessionId, 'delete', actorOf(caller));
    await this.botKeys.end({ tenantId, sessionId }, actorOf(caller));
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

  private read(request: GetSessionV1, how: 'fresh' | 'cached'): Promise<SessionReply> {
    const question = (): Promise<SessionReply> => this.rpc.request(GetSession, request);
    return this.permissions.sessions[how](`${request.tenantId}/${request.sessionId}`, question);
  }

  private async withTiers(sessions: SessionState[]): Promise<SessionView[]> {
    if (sessions.length === 0) return [];
    const [{ tiers }, answerers] = await Promise.all([
      this.rpc.request(GetTiers, { sessionIds: sessions.map(({ id }) => id) }),
      this.answerers.ofEach(sessions),
    ]);
    const byId = new Map(tiers.map(({ sessionId, tier }) => [sessionId, tier]));
    return sessions.map((session) => viewOf(session, byId.get(session.id) ?? 0, answerers.get(session.id)));
  }
}

/** Shows a session, also under the names that its events have. */
function viewOf(session: SessionState, warmupTier: number, answers: Answerer = 'nobody'): SessionView {
  const { statusReason: reason, statusUntil: until, status } = session;
  const willReconnect = status === 'RECONNECTING';
  return { ...session, warmupTier, reason, until, willReconnect, answers };
}
