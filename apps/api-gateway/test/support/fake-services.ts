import { randomUUID } from 'node:crypto';
import {
  AppError,
  ChangeSession,
  type ChangeSessionV1,
  CountMessages,
  type CountMessagesV1,
  type ContactTurn,
  countOf,
  CountSessions,
  CreateSession,
  type CreateSessionV1,
  type EraseContactV1,
  EraseInAssistant,
  ExportContactTurns,
  EraseInSessions,
  EraseInWebhooks,
  GetLimits,
  type GetLimitsV1,
  GetSession,
  type GetSessionV1,
  GetSessionQr,
  GetTiers,
  isLive,
  type GetTiersV1,
  GetWarmup,
  invalidField,
  type LimitRefusal,
  ListSessions,
  LookUpContact,
  MarkRead,
  type MessageCounts,
  type ListSessionsV1,
  type PhoneRequestV1,
  PromoteTier,
  type PromoteTierV1,
  RejectCall,
  type RequestContract,
  Reserve,
  type ReserveV1,
  SetBotMode,
  type SetBotModeV1,
  SetTyping,
  type SessionRef,
  type SessionReply,
  type SessionState,
  UpdateSession,
  type UpdateSessionV1,
} from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { natsConnectionOf } from '@svc/testing';
import {
  answer,
  assertRoom,
  auditThrough,
  checkProxy,
  type Listening,
  type LiveRequest,
  type Message,
  type OwnedSession,
  refusalOfNone,
  rejected,
  settingsOf,
  stateFor,
} from './fake-answers.js';
import { FakeAssistant } from './fake-assistant.js';
import { FakeBilling } from './fake-billing.js';
import { FakeDispatcher } from './fake-dispatcher.js';
import { FakeLinking } from './fake-linking.js';
import { FakeLedger } from './fake-ledger.js';
import { FakeTenants } from './fake-tenants.js';
import { MEDIA_BYTES, USAGE, WARMUP } from './figures.js';

/**
 * The other services, by contract and over real NATS: they store the requests, check tenants as the real ones do, and can be made to refuse
 * or to fall silent.
 */
export class FakeServices {
  readonly sessions = new Map<string, OwnedSession>();
  readonly billing = new FakeBilling();
  readonly subscriptions = this.billing.subscriptions;
  /** Sessions as the gateway asked for them. */
  readonly created = new Map<string, CreateSessionV1>();
  /** Jobs that hold a reservation, and how often each was asked for. */
  readonly reserved = new Map<string, number>();
  /** Questions to `reserve`, as they came. */
  readonly questions: ReserveV1[] = [];
  readonly promotions: PromoteTierV1[] = [];
  private readonly tiers = new Map<string, number>();
  readonly assistant = new FakeAssistant();
  readonly dispatcher = new FakeDispatcher();
  readonly linking = new FakeLinking();
  readonly ledger = new FakeLedger();
  readonly tenants = new FakeTenants();
  /** Subjects that are obeyed and not answered, as when a connection breaks at the wrong moment. */
  readonly mute = new Set<string>();
  /** Subjects in the order they were asked. */
  asked: string[] = [];
  /** Subjects that were answered at least once, not only refused. */
  readonly answered = new Set<string>();
  /** Requests to a worker that it carries out immediately, unchanged. */
  readonly done: object[] = [];
  readonly ringing = new Set<string>();
  /** Requests to change the wished state of sessions, unchanged. */
  readonly wishes: ChangeSessionV1[] = [];
  refusal: LimitRefusal | undefined;
  /** Time for which an admitted unit may be used, in ms. */
  goodForMs = 30_000;
  sessionUsed = USAGE.sessionUsed;
  planUsed = USAGE.planUsed;
  sent: MessageCounts = { days: [], sessions: [] };
  /** Says how many sessions of the tenant are older; a worker of before did not, and most tests have no plan in mind. */
  countsOlder = false;
  /** Contacts that the other services were asked to erase, in order. */
  readonly erased: EraseContactV1[] = [];
  /** Turns that the assistant keeps of a contact. */
  readonly turnsOf = new Map<string, ContactTurn[]>();
  readonly erasedByAssistant: EraseContactV1[] = [];
  qr: string | undefined = '2@abc,def,ghi,jkl';
  watch: () => void = () => undefined;
  /** Delivers a line of the audit log, as its owner does; without the gateway it has none. */
  private readonly audit: ReturnType<typeof auditThrough>;
  private readonly first = new Map<string, () => void>();
  private readonly listening = new Map<string, Listening>();

  private constructor(readonly messaging: Messaging) {
    this.audit = auditThrough(messaging);
  }

  static async start(natsUrl: string): Promise<FakeServices> {
    const fakes = new FakeServices(await Messaging.connect({ url: natsUrl, name: 'fakes' }));
    fakes.billing.answer((contract, reply) => fakes.on(contract, reply));
    fakes.answerLimits();
    fakes.answerSessions();
    fakes.dispatcher.answer((contract, reply) => fakes.on(contract, reply), fakes.audit);
    fakes.assistant.answer((contract, reply) => fakes.on(contract, reply), fakes.audit);
    fakes.ledger.answer((contract, reply) => fakes.on(contract, reply));
    fakes.tenants.answer((contract, reply) => fakes.on(contract, reply));
    await natsConnectionOf(fakes.messaging).flush();
    return fakes;
  }

  /** Adds a session that is, unless said otherwise, connected. */
  addSession(tenantId: string, state: Partial<SessionState> = {}): SessionState {
    const now = new Date().toISOString();
    const session: SessionState = {
      ...{ id: randomUUID(), name: 'Support line', status: 'CONNECTED', statusReason: 'LOGGED_IN' },
      ...{ statusSince: now, statusUntil: null, botMode: 'MANAGED', phone: '+15550001111', proxy: null },
      ...{ alwaysOnline: false, rejectCalls: false, callReply: null, restriction: null, createdAt: now },
      ...state,
    };
    this.sessions.set(session.id, { tenantId, state: session, modeVersion: 0 });
    return session;
  }

  /** Leaves this subject without an answer while `run` runs, as when a service is down. */
  async without<T>({ subject }: RequestContract, run: () => Promise<T>): Promise<T> {
    const { subscription, callback } = this.listening.get(subject) as Listening;
    subscription.unsubscribe();
    await natsConnectionOf(this.messaging).flush();
    try {
      return await run();
    } finally {
      this.listen(subject, callback);
      await natsConnectionOf(this.messaging).flush();
    }
  }

  async stop(): Promise<void> {
    await this.messaging.onApplicationShutdown();
  }

  on<Q extends object, A extends object>(
    contract: RequestContract<Q, A>,
    reply: (request: Q) => A | Promise<A>,
  ): void {
    const respond = async (message: Message): Promise<void> => {
      const { id, data } = message.json<{ id: string; data: unknown }>();
      this.first.get(contract.subject)?.();
      this.first.delete(contract.subject);
      const outcome = await answer(contract, reply, data);
      if ('response' in outcome) this.answered.add(contract.subject);
      this.watch();
      if (this.mute.has(contract.subject)) return;
      message.respond(JSON.stringify({ id, isDisposed: true, ...outcome }));
    };
    const callback: Listening['callback'] = (error, message) => {
      if (error) return;
      this.asked.push(contract.subject);
      void respond(message);
    };
    this.listen(contract.subject, callback);
  }

  /** Runs `act` right before the next request of this kind is carried out. */
  before({ subject }: RequestContract, act: () => void): void {
    this.first.set(subject, act);
  }

  /** Takes a session back as another call would: both services have done it. */
  disable(sessionId: string): void {
    const owned = this.sessions.get(sessionId) as OwnedSession;
    owned.modeVersion += 1;
    owned.state.botMode = 'MANAGED';
    const { tenantId, modeVersion } = owned;
    this.dispatcher.putBound({ tenantId, sessionId, enabled: false, rotateSecret: false, modeVersion });
  }

  /** Subjects that are answered here, in their order. */
  get played(): string[] {
    return [...this.listening.keys()].toSorted();
  }

  private listen(subject: string, callback: Listening['callback']): void {
    const subscription = natsConnectionOf(this.messaging).subscribe(subject, { callback });
    this.listening.set(subject, { subscription, callback });
  }

  private answerLimits(): void {
    this.on(CountMessages, (request: CountMessagesV1) => {
      this.done.push(request);
      return this.sent;
    });
    this.on(Reserve, (question: ReserveV1) => {
      const { jobId, onlyNew, caps } = question;
      this.questions.push(question);
      const times = this.reserved.get(jobId) ?? 0;
      if (onlyNew && times > 0) return { admitted: false, isRepeat: true };
      const usage = { ...USAGE, planLimit: caps?.messages ?? null };
      const refusal = this.refusal ?? refusalOfNone(usage);
      if (times === 0 && refusal) return { admitted: false, refusal, usage };
      this.reserved.set(jobId, times + 1);
      const writeBefore = new Date(Date.now() + this.goodForMs).toISOString();
      return { admitted: true, usage, writeBefore };
    });
    this.on(GetLimits, ({ caps, sessionIds }: GetLimitsV1) => ({
      llmCalls: countOf(caps?.calls ?? null, 7),
      messages: countOf(caps?.messages ?? null, this.planUsed),
      sessions: sessionIds.map((sessionId) => ({
        sessionId,
        tier: 2,
        messages: countOf(USAGE.sessionLimit, this.sessionUsed),
      })),
      resetAt: USAGE.resetAt,
      secondsLeft: USAGE.secondsLeft,
    }));
    this.on(GetWarmup, ({ sessionId }: SessionRef) => {
      return { ...WARMUP, sessionId, tier: this.tierOf(sessionId), nextTier: this.tierOf(sessionId) + 1 };
    });
    this.on(GetTiers, ({ sessionIds }: GetTiersV1) => ({
      tiers: sessionIds.map((sessionId) => ({ sessionId, tier: this.tierOf(sessionId) })),
    }));
    this.on(PromoteTier, (request: PromoteTierV1) => {
      this.promotions.push(request);
      const { sessionId, tier } = request;
      const previousTier = this.tierOf(sessionId);
      if (tier <= previousTier) throw invalidField('tier', `tier must be higher than ${previousTier}`);
      this.tiers.set(sessionId, tier);
      return { sessionId, tier, previousTier, promotedAt: new Date().toISOString() };
    });
  }

  private answerSessions(): void {
    this.on(CreateSession, (request: CreateSessionV1) => {
      const { tenantId, sessionId: id, name, most, proxy } = request;
      checkProxy(proxy);
      this.created.set(id, request);
      if (this.sessions.has(id)) return { session: this.owned(request) };
      assertRoom(most, this.sessionsOf(tenantId).length);
      const state = { id, name, status: 'NEW', statusReason: 'CREATED', phone: null } as const;
      return { session: this.addSession(tenantId, { ...state, ...settingsOf(request) }) };
    });
    this.on(CountSessions, (of) => ({ count: this.sessionsOf(of.tenantId).length, mediaBytes: MEDIA_BYTES }));
    this.on(UpdateSession, ({ tenantId, sessionId, ...change }: UpdateSessionV1) => {
      const session = this.owned({ tenantId, sessionId });
      checkProxy(change.proxy);
      this.done.push(change);
      Object.assign(session, change, { proxy: session.proxy });
      return { session };
    });
    this.on(GetSession, ({ countOlderTo = Infinity, ...ref }: GetSessionV1) => {
      const session = this.owned(ref);
      const rank = this.sessionsOf(ref.tenantId).findIndex(({ state }) => state === session);
      const { modeVersion = 0 } = this.sessions.get(session.id) ?? {};
      const older = Math.min(rank, countOlderTo);
      return { session: { ...session }, modeVersion, ...(this.countsOlder && { older }) };
    });
    this.on(ListSessions, ({ tenantId, limit, before }: ListSessionsV1) => {
      const own = this.sessionsOf(tenantId).reverse();
      const from = before ? own.findIndex(({ state }) => state.id === before) + 1 : 0;
      return { sessions: own.slice(from, from + limit).map(({ state }) => state) };
    });
    this.on(ChangeSession, (request: ChangeSessionV1) => {
      const session = this.owned(request);
      this.wishes.push(request);
      if (request.action === 'delete') this.sessions.delete(session.id);
      else session.status = request.action === 'connect' ? 'CONNECTING' : 'DISCONNECTED';
      return { session };
    });
    this.on(GetSessionQr, (ref: SessionRef) => {
      this.owned(ref);
      if (!this.qr) throw new AppError('QR_CONFLICT');
      return { qr: this.qr, expiresAt: new Date(Date.now() + 20_000).toISOString() };
    });
    this.linking.answer(
      (contract, reply) => this.on(contract, reply),
      (ref) => this.owned(ref),
    );
    this.on(LookUpContact, (request: PhoneRequestV1) => {
      this.connected(request);
      const exists = !request.phone.endsWith('0');
      const address = exists ? `${request.phone}@s.whatsapp.net` : null;
      return { phone: `+${request.phone}`, exists, address };
    });
    for (const contract of [MarkRead, RejectCall, SetTyping] as RequestContract<LiveRequest, object>[]) {
      this.on(contract, (request) => {
        this.connected(request);
        this.done.push(rejected(request, this.ringing));
        return {};
      });
    }
    this.on(EraseInSessions, (request: EraseContactV1) => {
      this.erased.push(request);
      return { journal: 2, sends: 1, files: 1, events: 0 };
    });
    this.on(ExportContactTurns, ({ contact }) => ({
      turns: this.turnsOf.get(contact) ?? [],
      next: null,
    }));
    this.on(EraseInAssistant, (request: EraseContactV1) => {
      this.erasedByAssistant.push(request);
      return { turns: 5 };
    });
    this.on(EraseInWebhooks, (request: EraseContactV1) => {
      this.erased.push(request);
      // The fake answers after each piece of its work.
      const done = this.erased.length % 2 === 0;
      return { events: 3, deliveries: 1, attempts: 4, deadLetters: 1, done };
    });
    this.on(SetBotMode, (request: SetBotModeV1) => this.setBotMode(request));
  }

  private async setBotMode(request: SetBotModeV1): Promise<SessionReply> {
    const { tenantId, botMode: after, ifVersion, actor = 'system' } = request;
    const session = this.owned(request);
    const owned = this.sessions.get(session.id) as OwnedSession;
    if (ifVersion !== undefined && ifVersion !== owned.modeVersion) {
      return { session: { ...session }, modeVersion: owned.modeVersion };
    }
    const before = session.botMode;
    session.botMode = after;
    session.botModeReason = null;
    if (after === 'MANAGED') owned.modeVersion += 1;
    const reply = { session: { ...session }, modeVersion: owned.modeVersion };
    const action = 'bot_mode.changed';
    if (before !== after)
      await this.audit({ tenantId, actor, action, target: session.id, details: { before, after } });
    return reply;
  }

  private tierOf(sessionId: string): number {
    return this.tiers.get(sessionId) ?? WARMUP.tier;
  }

  private sessionsOf(tenantId: string): OwnedSession[] {
    return [...this.sessions.values()].filter((session) => session.tenantId === tenantId);
  }

  private connected(ref: SessionRef): void {
    const { id: sessionId, status } = this.owned(ref);
    if (!isLive(status)) throw new AppError('SESSION_NOT_CONNECTED', undefined, { sessionId, status });
  }

  private owned({ tenantId, sessionId }: SessionRef): SessionState {
    return stateFor(tenantId, this.sessions.get(sessionId));
  }
}
