import { Injectable } from '@nestjs/common';
import {
  AppError,
  type BotMode,
  type ExternalBotEnv,
  type ExternalConfig,
  type FieldProblem,
  GetBoundEndpoint,
  invalidField,
  PutBoundEndpoint,
  type PutExternalConfigBody,
  SetBotMode,
  type SessionState,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { AuditService } from '../audit/audit.service.js';
import { ApiKeysService } from '../keys/api-keys.service.js';
import { actorOf, type Caller } from '../auth/caller.js';
import { allows } from '../auth/scope.guard.js';
import { SessionChanges, type SessionPair } from './session-changes.service.js';
import { SessionsService } from './sessions.service.js';

type BoundEndpoint = WebhookEndpointWithSecret | null;

/** This class hands a session to the tenant's own bot and takes it back (specification, "Session bot mode"). */
@Injectable()
export class ExternalConfigService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
    private readonly changes: SessionChanges,
  ) {}

  async get(caller: Caller, sessionId: string): Promise<ExternalConfig> {
    const { id, botMode } = await this.sessions.owned(caller.tenantId, sessionId);
    return this.show(caller, id, botMode, await this.bound(caller, id));
  }

  async put(caller: Caller, sessionId: string, body: PutExternalConfigBody): Promise<ExternalConfig> {
    if (body.mintApiKey && !allows(caller.scopes, 'admin:*')) {
      throw new AppError('FORBIDDEN', 'Making API keys needs the scope admin:*.', { scope: 'admin:*' });
    }
    const session = await this.sessions.owned(caller.tenantId, sessionId);
    const endpoint = await this.changes.run(caller, session.id, async (change) => {
      const before = await this.changes.look(change);
      return body.enabled ? this.enable(caller, before, body) : this.disable(caller, before, body);
    });
    const config = await this.show(caller, session.id, body.enabled ? 'EXTERNAL' : 'MANAGED', endpoint);
    if (!body.enabled && !body.mintApiKey) return config;
    return { ...config, env: await this.botEnv(caller, session, endpoint, body.mintApiKey === true) };
  }

  /** The endpoint first: a session is never in external mode without a receiver. */
  private async enable(
    caller: Caller,
    before: SessionPair,
    body: PutExternalConfigBody,
  ): Promise<BoundEndpoint> {
    if (!body.webhookUrl && !before.endpoint) {
      throw invalidField('webhookUrl', 'webhookUrl is required the first time external mode is enabled');
    }
    const endpoint = await this.putEndpoint(caller, before.session, body);
    await this.setMode(caller, before.session, 'EXTERNAL');
    return endpoint;
  }

  private async disable(
    caller: Caller,
    { session }: SessionPair,
    body: PutExternalConfigBody,
  ): Promise<BoundEndpoint> {
    await this.setMode(caller, session, 'MANAGED');
    return this.putEndpoint(caller, session, body);
  }

  private async putEndpoint(
    caller: Caller,
    { id }: SessionState,
    body: PutExternalConfigBody,
  ): Promise<BoundEndpoint> {
    try {
      const { endpoint } = await this.rpc.request(PutBoundEndpoint, {
        tenantId: caller.tenantId,
        sessionId: id,
        enabled: body.enabled,
        ...(body.webhookUrl ? { url: body.webhookUrl } : {}),
        rotateSecret: body.rotateSecret === true,
        actor: actorOf(caller),
      });
      return endpoint ?? null;
    } catch (error) {
      throw namedAsHere(error);
    }
  }

  private async setMode(
    caller: Caller,
    { id, botMode: before }: SessionState,
    botMode: BotMode,
  ): Promise<void> {
    if (before === botMode) return;
    await this.rpc.request(SetBotMode, { tenantId: caller.tenantId, sessionId: id, botMode });
  }

  private async bound({ tenantId }: Caller, sessionId: string): Promise<BoundEndpoint> {
    return (await this.rpc.request(GetBoundEndpoint, { tenantId, sessionId })).endpoint ?? null;
  }

  /** Showing a secret leaves a trace, before it is shown. */
  private async show(
    caller: Caller,
    sessionId: string,
    botMode: BotMode,
    endpoint: BoundEndpoint,
  ): Promise<ExternalConfig> {
    if (endpoint) {
      const { tenantId } = caller;
      const fact = { tenantId, actor: actorOf(caller), action: 'webhook_secret.read', target: sessionId };
      await this.audit.write(fact);
    }
    return { botMode, webhookUrl: endpoint?.url ?? null, webhookSecret: endpoint?.secret ?? null };
  }

  private async botEnv(
    caller: Caller,
    session: SessionState,
    endpoint: BoundEndpoint,
    mint: boolean,
  ): Promise<ExternalBotEnv> {
    const { tenantId } = caller;
    const order = {
      tenantId,
      name: `Bot of ${session.name}`,
      scopes: ['*' as const],
      actor: actorOf(caller),
    };
    const key = mint ? await this.keys.makeBeside(order) : undefined;
    return {
      SVC_TENANT_ID: tenantId,
      SVC_SESSION_ID: session.id,
      ...(endpoint ? { SVC_WEBHOOK_SECRET: endpoint.secret } : {}),
      ...(key ? { SVC_API_KEY: key.secret } : {}),
    };
  }
}

/** The dispatcher calls it `url`; the caller wrote `webhookUrl`. */
function namedAsHere(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const fields = (error.meta['fields'] as FieldProblem[] | undefined) ?? [];
  const renamed = fields.map((problem) =>
    problem.field === 'url' ? { ...problem, field: 'webhookUrl' } : problem,
  );
  return new AppError(error.code, error.message, { ...error.meta, fields: renamed });
}
