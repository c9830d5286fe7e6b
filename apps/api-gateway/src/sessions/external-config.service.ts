import { Injectable } from '@nestjs/common';
import {
  AppError,
  type BoundEndpointReply,
  type ExternalConfig,
  type Failover,
  type FieldProblem,
  GetBoundEndpoint,
  invalidField,
  PutBoundEndpoint,
  type PutBoundEndpointV1,
  type PutExternalConfigBody,
  type SessionRef,
  type SessionReply,
  type SessionState,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Answerers } from '../assistant/answerers.service.js';
import { AuditService } from '../audit/audit.service.js';
import { BotKeys } from '../keys/bot-keys.service.js';
import { actorOf, allows, type Caller } from '../auth/authorization.js';
import { withoutNulls } from '../edge/without-nulls.js';
import { SessionsService } from './sessions.service.js';

/** Reply of the dispatcher on a session: its endpoint, and when the session fails over. */
interface Bound {
  endpoint: BoundEndpoint;
  failover: Failover | null;
}

type BoundEndpoint = WebhookEndpointWithSecret | null;

/** Most times that a session is enabled anew because another call has disabled it meanwhile. */
const MOST_TRIES = 10;

/**
 * This class hands a session to the tenant's own bot and takes it back (specification, "Session bot mode"). Two services are asked, one after the
 * other; a call that is cut off between them is brought about by its repeat. Calls that overtake each other are told apart by the
 * `modeVersion` of the session (ADR 34).
 */
@Injectable()
export class ExternalConfigService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly keys: BotKeys,
    private readonly audit: AuditService,
    private readonly answerers: Answerers,
    private readonly rpc: RpcClient,
  ) {}

  async get(caller: Caller, sessionId: string): Promise<ExternalConfig> {
    const session = await this.sessions.owned(caller.tenantId, sessionId);
    return this.show(caller, session, await this.bound(caller, session.id));
  }

  async put(caller: Caller, sessionId: string, body: PutExternalConfigBody): Promise<ExternalConfig> {
    if (body.mintApiKey && !allows(caller.scopes, 'admin:*')) {
      throw new AppError('FORBIDDEN', 'Making API keys needs the scope admin:*.', { scope: 'admin:*' });
    }
    if (body.scopes && !body.mintApiKey)
      throw invalidField('scopes', 'scopes must be given with mintApiKey only');
    const reply = await this.sessions.withRank(caller.tenantId, sessionId);
    const bound = await (body.enabled ? this.enable(caller, reply, body) : this.disable(caller, reply, body));
    const { session } = reply;
    const botMode = body.enabled ? 'EXTERNAL' : 'MANAGED';
    const config = await this.show(caller, { id: session.id, botMode }, bound);
    if (!body.enabled && !body.mintApiKey) return config;
    return { ...config, ...(await this.botValues(caller, session, bound.endpoint, body)) };
  }

  /**
   * Enables the endpoint first, then the mode, if nobody has switched the session to `MANAGED` since its version was read: a session is
   * never in external mode without a receiver. Else both again, under the version that holds then.
   */
  private async enable(
    caller: Caller,
    { session, modeVersion = 0 }: SessionReply,
    body: PutExternalConfigBody,
  ): Promise<Bound> {
    let version = modeVersion;
    let change = changeOf(body);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const bound = await this.putEndpoint(caller, session, { ...change, modeVersion: version });
      const now = await this.sessions.setMode(caller, session.id, {
        botMode: 'EXTERNAL',
        ifVersion: version,
      });
      if (now.session.botMode === 'EXTERNAL') return bound;
      version = now.modeVersion ?? version;
      change = { ...change, rotateSecret: false };
    }
    throw new AppError('UPSTREAM_UNAVAILABLE', 'The session is switched to and fro by other calls.');
  }

  /** Switches the mode first. */
  private async disable(
    caller: Caller,
    { session }: SessionReply,
    body: PutExternalConfigBody,
  ): Promise<Bound> {
    const { modeVersion = 0 } = await this.sessions.setMode(caller, session.id, { botMode: 'MANAGED' });
    return this.putEndpoint(caller, session, { ...changeOf(body), modeVersion });
  }

  private async putEndpoint(
    caller: Caller,
    { id: sessionId }: SessionState,
    change: EndpointChange,
  ): Promise<Bound> {
    const request = { tenantId: caller.tenantId, sessionId, ...change, actor: actorOf(caller) };
    try {
      return boundOf(await this.rpc.request(PutBoundEndpoint, request));
    } catch (error) {
      throw namedAsHere(error);
    }
  }

  private async bound({ tenantId }: Caller, sessionId: string): Promise<Bound> {
    return boundOf(await this.rpc.request(GetBoundEndpoint, { tenantId, sessionId }));
  }

  /** Shows a secret and leaves a trace of that, before it is shown. */
  private async show(
    caller: Caller,
    { id: sessionId, botMode, botModeReason = null }: Shown,
    { endpoint, failover }: Bound,
  ): Promise<ExternalConfig> {
    if (endpoint) {
      const { tenantId } = caller;
      const fact = { tenantId, actor: actorOf(caller), action: 'webhook_secret.read', target: sessionId };
      await this.audit.write(fact);
    }
    const answers = await this.answerers.of({ id: sessionId, botMode });
    return { botMode, botModeReason, answers, failover, ...shown(endpoint) };
  }

  private async botValues(
    caller: Caller,
    { id: sessionId, name: sessionName }: SessionState,
    endpoint: BoundEndpoint,
    { mintApiKey, scopes: asked }: PutExternalConfigBody,
  ): Promise<Pick<ExternalConfig, 'env' | 'mintedKey'>> {
    const { tenantId } = caller;
    const env = {
      ...{ SVC_TENANT_ID: tenantId, SVC_SESSION_ID: sessionId },
      ...(endpoint && { SVC_WEBHOOK_SECRET: endpoint.secret }),
    };
    if (!mintApiKey) return { env };
    const scopes = asked ?? ['*'];
    const order = { tenantId, sessionId, name: `Bot of ${sessionName}`, scopes, actor: actorOf(caller) };
    const { key, earlier } = await this.keys.make(order);
    await this.endWithSession(order);
    const { kid, name, secret } = key;
    return { env: { ...env, SVC_API_KEY: secret }, mintedKey: { kid, name, scopes, earlier } };
  }

  /** Ends a key that was made while its session was deleted: whoever deleted it did not find the key. @throws AppError `SESSION_NOT_FOUND` */
  private async endWithSession(order: SessionRef & { actor: string }): Promise<void> {
    try {
      await this.sessions.owned(order.tenantId, order.sessionId);
    } catch (error) {
      if ((error as AppError).code === 'SESSION_NOT_FOUND') await this.keys.end(order, order.actor);
      throw error;
    }
  }
}

function boundOf({ endpoint, failover }: BoundEndpointReply): Bound {
  return { endpoint: endpoint ?? null, failover: failover ?? null };
}

type Shown = Pick<SessionState, 'id' | 'botMode' | 'botModeReason'>;

function shown(
  endpoint: BoundEndpoint,
): Omit<ExternalConfig, 'botMode' | 'botModeReason' | 'answers' | 'failover' | 'env'> {
  const {
    id = null,
    url = null,
    secret = null,
    status = null,
    pausedReason = null,
    events = null,
    hears = null,
    sameUrlAs,
  } = endpoint ?? {};
  return {
    webhookUrl: url,
    webhookSecret: secret,
    endpointId: id,
    endpointStatus: status,
    pausedReason,
    events,
    hears,
    ...(sameUrlAs && { sameUrlAs }),
  };
}

type EndpointChange = Pick<
  PutBoundEndpointV1,
  'enabled' | 'url' | 'events' | 'hears' | 'failover' | 'rotateSecret' | 'modeVersion'
>;

function changeOf({
  enabled,
  webhookUrl: url,
  events,
  hears,
  failover,
  ...body
}: PutExternalConfigBody): EndpointChange {
  const given = { ...withoutNulls({ url, events, hears }), ...(failover !== undefined && { failover }) };
  return { enabled, ...given, rotateSecret: body.rotateSecret === true };
}

/** Renames a field in an error: the dispatcher calls it `url`; the caller wrote `webhookUrl`. */
function namedAsHere(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const fields = (error.meta['fields'] as FieldProblem[] | undefined) ?? [];
  const renamed = fields.map((problem) =>
    problem.field === 'url' ? { ...problem, field: 'webhookUrl' } : problem,
  );
  return new AppError(error.code, error.message, { ...error.meta, fields: renamed });
}
