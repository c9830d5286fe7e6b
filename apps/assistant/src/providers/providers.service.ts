import { Injectable } from '@nestjs/common';
import {
  type DeleteProviderV1,
  invalidField,
  type ProviderKind,
  type ProviderReply,
  type ProviderView,
  type SetProviderV1,
} from '@svc/contracts';
import { AddressGuard } from '@svc/outbound-http';
import { AssistantConfig } from '../config.js';
import { ProviderRepository, type ProviderRow } from './provider.repository.js';

/** Name of the model of a sandbox; the simulator takes any. */
const STAND_IN = 'stand-in';

/** Access to the models that answer for a tenant. */
export interface ProviderAccess {
  kind: ProviderKind;
  baseUrl: string;
  /** Models in the order in which they are asked. */
  models: string[];
  key?: string;
  /** The address is the operator's own, and may be local. */
  isOperators: boolean;
}

/** This service says which provider answers for a tenant: its own, or that of the operator. */
@Injectable()
export class ProvidersService {
  constructor(
    private readonly providers: ProviderRepository,
    private readonly guard: AddressGuard,
    private readonly config: AssistantConfig,
  ) {}

  async get(tenantId: string): Promise<ProviderReply> {
    const row = await this.providers.find(tenantId);
    return row ? { provider: viewOf(row) } : {};
  }

  /**
   * Sets the provider of a tenant.
   * @throws AppError `VALIDATION_FAILED` where the address may not be connected to, and where a stored key would go to another address: a
   * key that nobody can read must not be sent to wherever somebody likes.
   */
  async set(request: SetProviderV1): Promise<ProviderReply> {
    const { tenantId, baseUrl, key, kind = 'openai', fallbackModel } = request;
    if (fallbackModel && kind !== 'openai')
      throw invalidField('fallbackModel', 'fallbackModel is for providers of the kind openai alone');
    const problem = await this.guard.problemWith(baseUrl);
    if (problem) throw invalidField('baseUrl', `baseUrl ${problem}`);
    const stored = await this.providers.find(tenantId);
    if (key === undefined && stored?.keyEnc && stored.baseUrl !== baseUrl)
      throw invalidField('key', 'key must be given again, or null, because baseUrl is another one');
    await this.providers.set(request);
    return this.get(tenantId);
  }

  delete(request: DeleteProviderV1): Promise<void> {
    return this.providers.delete(request);
  }

  /**
   * Says who answers: the provider of the tenant, otherwise that of the operator; in a sandbox the stand-in for models, which costs nothing.
   * @param model of a session, in place of the first one of the provider. @returns undefined where nobody has said which provider.
   */
  async accessOf(
    tenantId: string,
    model: string | null,
    isSandbox: boolean,
  ): Promise<ProviderAccess | undefined> {
    const row = await this.providers.find(tenantId);
    if (row) {
      const key = this.providers.keyOf(tenantId, row);
      const models = [row.kind === 'openai' ? (model ?? row.model) : row.model, row.fallbackModel];
      return {
        baseUrl: row.baseUrl,
        kind: row.kind,
        models: [...new Set(models.filter((one) => one !== null))],
        isOperators: false,
        ...(key ? { key } : {}),
      };
    }
    return isSandbox ? this.standIn(tenantId) : this.ofOperator();
  }

  /** The stand-in knows tenants by their keys: each has rules of its own there. */
  private standIn(tenantId: string): ProviderAccess | undefined {
    const { sandboxUrl: baseUrl } = this.config;
    return baseUrl
      ? { kind: 'openai', baseUrl, models: [STAND_IN], isOperators: true, key: tenantId }
      : undefined;
  }

  private ofOperator(): ProviderAccess | undefined {
    const { baseUrl, model, key } = this.config;
    // A session does not choose among the models that the operator pays for.
    if (!baseUrl || !model) return undefined;
    return { kind: 'openai', baseUrl, models: [model], isOperators: true, ...(key ? { key } : {}) };
  }
}

const viewOf = ({ keyEnc: _, ...view }: ProviderRow): ProviderView => view;
