import { randomBytes, randomUUID } from 'node:crypto';
import {
  AppError,
  type AuditFact,
  CancelReplay,
  CountEndpoints,
  type ChangeEndpointStateV1,
  CreateEndpoint,
  DeleteEndpoint,
  type DeliveryRef,
  type DeliveryStatus,
  type DeliveryView,
  type EndpointRef,
  GetBoundEndpoint,
  FindEventLogEnds,
  GetDelivery,
  GetEndpoint,
  GetEndpointHealth,
  GetReplay,
  type Hears,
  HEARS_BY_DEFAULT,
  type HearsBody,
  HIDDEN_VALUE,
  invalidField,
  invalidFields,
  ListDeliveries,
  type ListDeliveriesV1,
  type ListedDelivery,
  ListEndpoints,
  type LoggedEvent,
  PauseEndpoint,
  PutBoundEndpoint,
  quotaConflict,
  type PutBoundEndpointV1,
  ReactivateEndpoint,
  ReadContactEvents,
  ReadEventLog,
  type Replay,
  REPLAYABLE_STATUSES,
  type ReplayableStatus,
  ReplayDelivery,
  type ReplayRef,
  type RequestContract,
  RotateEndpointSecret,
  StartReplay,
  TestEndpoint,
  UpdateEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { withoutNulls } from '../../src/edge/without-nulls.js';
import { nextOf, pageOf } from './fake-event-log.js';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;
/** Delivers a line of the audit log, as owners of changes do. */
export type Audit = (
  line: Pick<AuditFact, 'tenantId' | 'actor' | 'action' | 'target' | 'reason'>,
) => Promise<void>;

interface OwnedEndpoint {
  tenantId: string;
  endpoint: WebhookEndpointWithSecret;
  /** The last version of the mode under which it was switched. */
  modeVersion: number;
  /** The pause that it had when it was disabled. */
  pause?: Partial<WebhookEndpointWithSecret> | undefined;
}

const RETENTION_MS = 30 * 86_400_000;
const NONE = { count: 0, more: false };
const NO_PAUSE = { pausedReason: null, pausedBy: null, pausedNote: null, pausedAt: null };

/** `webhook-dispatcher`, as far as the gateway can tell. */
export class FakeDispatcher {
  readonly endpoints = new Map<string, OwnedEndpoint>();
  readonly deliveries = new Map<string, { tenantId: string; delivery: DeliveryView; seq: number }>();
  private readonly failovers = new Map<string, PutBoundEndpointV1['failover']>();
  private lastSeq = 0;
  readonly replays = new Map<string, { tenantId: string; replay: Replay }>();
  /** Requests for lists and replays, unchanged. */
  readonly asked: object[] = [];
  /** Actors that made, changed and deleted endpoints, in order. */
  readonly actors: (string | undefined)[] = [];
  /** The log of every tenant that has none of its own in `logs`, numbered from 1. */
  log: LoggedEvent[] = [];
  readonly logs = new Map<string, LoggedEvent[]>();
  /** Earliest time of the events that the log still has, in ms. */
  storedSince = Date.now() - RETENTION_MS;

  answer(on: On, audit: Audit): void {
    on(CreateEndpoint, ({ tenantId, actor, most = Infinity, headers = {}, ...fields }) => {
      this.actors.push(actor);
      checkUrl(fields.url, 'url');
      const used = this.tenantWideOf(tenantId).length;
      if (used >= most) throw quotaConflict('endpoints', most, used);
      const hears = heardAfter(HEARS_BY_DEFAULT, fields.hears);
      const made = { ...withoutNulls(fields), hears, headers: hidden(headers, {}) };
      return { endpoint: this.add(tenantId, made) };
    });
    on(CountEndpoints, ({ tenantId }) => ({ count: this.tenantWideOf(tenantId).length }));
    on(GetEndpoint, (ref) => ({ endpoint: this.owned(ref) }));
    on(ListEndpoints, ({ tenantId, limit, before }) => {
      const own = [...this.endpoints.values()].filter((one) => one.tenantId === tenantId).reverse();
      const from = before ? own.findIndex(({ endpoint }) => endpoint.id === before) + 1 : 0;
      return { endpoints: own.slice(from, from + limit).map(({ endpoint }) => endpoint) };
    });
    on(UpdateEndpoint, ({ tenantId, endpointId, actor, ...change }) => {
      this.actors.push(actor);
      const endpoint = this.owned({ tenantId, endpointId });
      if (change.url && change.url !== endpoint.url) checkUrl(change.url, 'url');
      if (endpoint.sessionId !== null) checkBoundFilter(change.events);
      const headers = change.headers ? hidden(change.headers, endpoint.headers) : endpoint.headers;
      if (change.url) this.moveTo(endpoint, change.url);
      const hears = heardAfter(endpoint.hears, change.hears);
      return { endpoint: Object.assign(endpoint, withoutNulls(change), { headers, hears }) };
    });
    this.answerActions(on, audit);
    on(DeleteEndpoint, (ref) => {
      this.actors.push(ref.actor);
      const endpoint = this.owned(ref);
      if (endpoint.status !== 'DISABLED') assertTenantWide(endpoint);
      this.endpoints.delete(endpoint.id);
      return { endpoint };
    });
    this.answerDeliveries(on);
    on(GetBoundEndpoint, ({ tenantId, sessionId: id }) => {
      return { endpoint: this.bound(tenantId, id) ?? null, failover: this.failovers.get(id) ?? null };
    });
    on(PutBoundEndpoint, async (request) => {
      const { tenantId, sessionId: target, rotateSecret, actor = 'system' } = request;
      const exists = this.bound(tenantId, target) !== undefined;
      const endpoint = this.putBound(request);
      if (exists && rotateSecret) await audit({ tenantId, actor, action: 'webhook_secret.rotated', target });
      if (request.failover !== undefined) this.failovers.set(target, request.failover);
      return { endpoint, failover: this.failovers.get(target) ?? null };
    });
  }

  private tenantWideOf(tenantId: string): OwnedEndpoint[] {
    return [...this.endpoints.values()].filter(
      (one) => one.tenantId === tenantId && one.endpoint.sessionId === null,
    );
  }

  private answerActions(on: On, audit: Audit): void {
    on(RotateEndpointSecret, async (ref) => {
      const { tenantId, endpointId: target, actor = 'system' } = ref;
      const endpoint = Object.assign(this.owned(ref), { secret: newSecret() });
      await audit({ tenantId, actor, action: 'webhook_secret.rotated', target });
      return { endpoint };
    });
    on(PauseEndpoint, (request) => this.bringTo('PAUSED', request, audit));
    on(ReactivateEndpoint, (request) => this.bringTo('ACTIVE', request, audit));
    on(TestEndpoint, (ref) => {
      this.owned(ref);
      return {
        result: { deliveryId: randomUUID(), status: 200, error: null, durationMs: 7, responseHead: 'ok' },
      };
    });
    on(GetEndpointHealth, (ref) => {
      const { status } = this.owned(ref);
      const lastHour = { attempts: 0, failures: 0, p50Ms: null, p95Ms: null, partial: false };
      const counts = { pending: NONE, held: NONE, dead: NONE, oldestWaitingMs: null };
      return {
        health: { status, lastSuccess: null, lastFailure: null, permanent4xxRun: 0, lastHour, ...counts },
      };
    });
  }

  private async bringTo(
    state: 'PAUSED' | 'ACTIVE',
    request: ChangeEndpointStateV1,
    audit: Audit,
  ): Promise<{ endpoint: WebhookEndpointWithSecret }> {
    const endpoint = this.owned(request);
    if (endpoint.status === 'DISABLED') throw new AppError('SESSION_STATE_CONFLICT');
    if (endpoint.status === state) return { endpoint };
    const { tenantId, actor, reason } = request;
    const pausedAt = new Date().toISOString();
    const pause = { pausedReason: 'REQUESTED', pausedBy: actor, pausedNote: reason ?? null, pausedAt };
    Object.assign(endpoint, { status: state }, state === 'PAUSED' ? pause : NO_PAUSE);
    const action = state === 'PAUSED' ? 'webhook.paused' : 'webhook.reactivated';
    await audit({ tenantId, actor, action, target: endpoint.id, reason });
    return { endpoint };
  }

  addDelivery(tenantId: string, endpointId: string = randomUUID()): DeliveryView {
    const delivery: DeliveryView = {
      ...{
        deliveryId: randomUUID(),
        endpointId,
        eventId: randomUUID(),
        event: 'message.received',
        status: 'DEAD',
      },
      ...{ nextAttemptAt: null, deadReason: 'HTTP_500', deadAt: new Date().toISOString() },
      ...{ attempts: [], createdAt: new Date().toISOString() },
    };
    this.lastSeq += 1;
    this.deliveries.set(delivery.deliveryId, { tenantId, delivery, seq: this.lastSeq });
    return delivery;
  }

  private answerDeliveries(on: On): void {
    on(ListDeliveries, (request) => {
      this.owned(request);
      this.asked.push(request);
      return { deliveries: this.page(request) };
    });
    on(GetDelivery, (ref) => ({ delivery: this.ownedDelivery(ref) }));
    on(ReplayDelivery, (ref) => {
      const delivery = this.ownedDelivery(ref);
      const { deliveryId, status } = delivery;
      if (!isReplayable(status)) throw new AppError('DELIVERY_STATE_CONFLICT', undefined, { deliveryId });
      const again = { status: 'PENDING' as const, deadReason: null, deadAt: null };
      return { delivery: Object.assign(delivery, again) };
    });
    on(StartReplay, ({ tenantId, endpointId, ...filter }) => {
      this.owned({ tenantId, endpointId });
      this.asked.push(filter);
      const statuses = filter.status ? [filter.status] : [...REPLAYABLE_STATUSES];
      const total = this.page({ tenantId, endpointId, statuses, limit: Infinity }).length;
      if (filter.dryRun) return { total, replay: null };
      return { total, replay: this.startReplay(tenantId, endpointId, total) };
    });
    on(CancelReplay, (ref) => {
      const replay = this.ownedReplay(ref);
      const canceled = { state: 'CANCELED' as const, finishedAt: new Date().toISOString() };
      return { replay: replay.state === 'RUNNING' ? Object.assign(replay, canceled) : replay };
    });
    on(GetReplay, (ref) => ({ replay: this.ownedReplay(ref) }));
    on(ReadEventLog, (request) => {
      this.asked.push(request);
      const { tenantId, emptyAt } = request;
      if (emptyAt && Date.parse(emptyAt) < this.storedSince) throw new AppError('CURSOR_EXPIRED');
      return pageOf(this.logOf(tenantId), request);
    });
    on(ReadContactEvents, (request) => nextOf(this.logOf(request.tenantId), request));
    on(FindEventLogEnds, ({ tenantIds }) => ({
      ends: tenantIds.map((tenantId) => String(this.logOf(tenantId).length)),
      at: new Date().toISOString(),
    }));
  }

  private logOf(tenantId: string): LoggedEvent[] {
    return this.logs.get(tenantId) ?? this.log;
  }

  /** Starts a replay, which stays as it is; one of nothing has ended. */
  private startReplay(tenantId: string, endpointId: string, total: number): Replay {
    const running = [...this.replays.values()].find(
      ({ replay }) => replay.endpointId === endpointId && replay.state === 'RUNNING',
    );
    if (running) throw new AppError('REPLAY_CONFLICT', undefined, { replayId: running.replay.id });
    const createdAt = new Date().toISOString();
    const isDone = total === 0;
    const replay: Replay = {
      ...{ id: randomUUID(), endpointId, total, done: 0, failed: 0, createdAt },
      ...{ state: isDone ? 'DONE' : 'RUNNING', finishedAt: isDone ? createdAt : null },
    };
    this.replays.set(replay.id, { tenantId, replay });
    return replay;
  }

  private ownedReplay({ tenantId, replayId }: ReplayRef): Replay {
    const owned = this.replays.get(replayId);
    if (!owned) throw new AppError('REPLAY_NOT_FOUND');
    if (owned.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return owned.replay;
  }

  private page({ endpointId, statuses, before, limit }: ListDeliveriesV1): ListedDelivery[] {
    const end = before ? Number(before.split('/')[1]) : Infinity;
    return [...this.deliveries.values()]
      .filter(({ delivery, seq }) => delivery.endpointId === endpointId && seq < end)
      .filter(({ delivery }) => statuses.includes(delivery.status))
      .map(({ delivery, seq }) => ({ ...delivery, place: `2026-01-31 12:00:00.123456+00/${seq}` }))
      .reverse()
      .slice(0, limit);
  }

  private ownedDelivery({ tenantId, deliveryId }: DeliveryRef): DeliveryView {
    const owned = this.deliveries.get(deliveryId);
    if (!owned) throw new AppError('DELIVERY_NOT_FOUND');
    if (owned.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return owned.delivery;
  }

  putBound(request: PutBoundEndpointV1): WebhookEndpointWithSecret | null {
    const { tenantId, sessionId, enabled, url, events, hears, rotateSecret, modeVersion, actor } = request;
    checkBoundFilter(events);
    this.actors.push(actor);
    let endpoint = this.bound(tenantId, sessionId);
    if (!endpoint && !enabled) return noneYet(request);
    if (url || !endpoint) checkUrl(url ?? '', 'webhookUrl');
    endpoint ??= this.add(tenantId, { name: 'External bot', events: [], sessionId });
    if (events) endpoint.events = events;
    endpoint.hears = heardAfter(endpoint.hears, hears);
    if (rotateSecret) endpoint.secret = newSecret();
    this.switchBound(endpoint, enabled, modeVersion);
    if (url) this.moveTo(endpoint, url);
    return endpoint;
  }

  /** Enables or disables by the version of the mode, where the call has one: a call that was overtaken changes nothing. */
  private switchBound(endpoint: WebhookEndpointWithSecret, enabled: boolean, modeVersion?: number): void {
    const owned = this.endpoints.get(endpoint.id) as OwnedEndpoint;
    if (modeVersion !== undefined) {
      if (enabled ? modeVersion < owned.modeVersion : modeVersion <= owned.modeVersion) return;
      owned.modeVersion = modeVersion;
    }
    if (!enabled) {
      const { status, pausedReason, pausedBy, pausedNote, pausedAt } = endpoint;
      if (status === 'PAUSED') owned.pause = { status, pausedReason, pausedBy, pausedNote, pausedAt };
      Object.assign(endpoint, { status: 'DISABLED' }, NO_PAUSE);
    } else if (endpoint.status === 'DISABLED') {
      Object.assign(endpoint, { status: 'ACTIVE' }, NO_PAUSE, owned.pause);
      owned.pause = undefined;
    }
  }

  /** Gives an endpoint an address; another one than it has lifts its pause. */
  private moveTo(endpoint: WebhookEndpointWithSecret, url: string): void {
    if (url === endpoint.url) return;
    endpoint.url = url;
    (this.endpoints.get(endpoint.id) as OwnedEndpoint).pause = undefined;
    if (endpoint.status === 'PAUSED') Object.assign(endpoint, { status: 'ACTIVE' }, NO_PAUSE);
  }

  private add(tenantId: string, fields: Partial<WebhookEndpointWithSecret>): WebhookEndpointWithSecret {
    const endpoint: WebhookEndpointWithSecret = {
      ...{
        id: randomUUID(),
        name: '',
        url: '',
        events: [],
        hears: { ...HEARS_BY_DEFAULT },
        status: 'ACTIVE',
        headers: {},
        standardWebhooks: false,
        ordering: 'CONVERSATION',
        ...NO_PAUSE,
      },
      ...{ sessionId: null, createdAt: new Date().toISOString(), secret: newSecret(), ...fields },
    };
    this.endpoints.set(endpoint.id, { tenantId, endpoint, modeVersion: 0 });
    return endpoint;
  }

  private bound(tenantId: string, sessionId: string): WebhookEndpointWithSecret | undefined {
    const own = [...this.endpoints.values()].filter((one) => one.tenantId === tenantId);
    return own.find(({ endpoint }) => endpoint.sessionId === sessionId)?.endpoint;
  }

  private owned({ tenantId, endpointId }: EndpointRef): WebhookEndpointWithSecret {
    const owned = this.endpoints.get(endpointId);
    if (!owned) throw new AppError('ENDPOINT_NOT_FOUND');
    if (owned.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return owned.endpoint;
  }
}

/** Says that a session has no endpoint before external mode is enabled, where the call gives it nothing. */
function noneYet({ url: webhookUrl, events, hears, rotateSecret }: PutBoundEndpointV1): null {
  const given = Object.entries({ webhookUrl, events, hears, rotateSecret }).filter(([, value]) => value);
  if (given.length > 0)
    throw invalidFields(given.map(([field]) => ({ field, rule: `${field}: not before it is enabled` })));
  return null;
}

const isReplayable = (status: DeliveryStatus): boolean =>
  REPLAYABLE_STATUSES.includes(status as ReplayableStatus);

function assertTenantWide({ sessionId }: WebhookEndpointWithSecret): void {
  if (sessionId !== null) throw new AppError('SESSION_STATE_CONFLICT');
}

function checkBoundFilter(events: readonly string[] = []): void {
  if (events.length === 0 || events.includes('message.received')) return;
  throw invalidField('events', 'events must contain message.received');
}

function heardAfter(before: Readonly<Hears>, change?: HearsBody): Hears {
  return { ...before, ...withoutNulls(change ?? {}) };
}

function hidden(headers: Record<string, string>, stored: Record<string, string>): Record<string, string> {
  const unknown = Object.keys(headers).some((name) => headers[name] === HIDDEN_VALUE && !(name in stored));
  if (unknown) throw invalidField('headers', 'headers: none is stored');
  return Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN_VALUE]));
}

function checkUrl(url: string, field: string): void {
  if (!url.startsWith('https://')) throw invalidField(field, `${field}: must be an https URL`);
}

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64url')}`;
