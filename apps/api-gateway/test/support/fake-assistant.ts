import {
  AppError,
  AssistantSettings,
  type AssistantSettingsReply,
  DeleteProvider,
  GetAssistantSettings,
  GetProvider,
  invalidField,
  type ListedHandoff,
  type ListedTurn,
  ListHandoffs,
  ListTurns,
  type ProviderView,
  PublishAssistantSettings,
  type PublishAssistantSettingsV1,
  type RequestContract,
  type SessionRef,
  SetAssistantSettings,
  SetConversationOwner,
  type SetAssistantSettingsV1,
  SetProvider,
  type SetProviderV1,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import { FakeKnowledge } from './fake-knowledge.js';
import type { Audit } from './fake-dispatcher.js';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

interface Kept {
  tenantId: string;
  draft: AssistantSettings;
  revision: number;
  versions: AssistantSettings[];
  publications: number;
  version: number;
}

/** `assistant`, as far as the gateway can tell. */
export class FakeAssistant {
  /** Providers by tenant. */
  readonly providers = new Map<string, ProviderView>();
  /** Settings by session. */
  readonly settings = new Map<string, Kept>();
  /** Turns by tenant and session, newest first. */
  readonly turns = new Map<string, ListedTurn[]>();
  readonly knowledge = new FakeKnowledge();
  private readonly handoffs = new Map<string, ListedHandoff>();

  answer(on: On, audit: Audit): void {
    on(GetProvider, ({ tenantId }) => this.providerOf(tenantId));
    on(SetProvider, (request) => this.setProvider(request));
    on(DeleteProvider, ({ tenantId }) => {
      this.providers.delete(tenantId);
      return {};
    });
    this.answerConversations(on);
    this.knowledge.answer(on);
    on(GetAssistantSettings, (ref) => this.replyOf(ref));
    on(SetAssistantSettings, (request) => this.setDraft(request));
    on(PublishAssistantSettings, async (request) => {
      const { tenantId, actor, sessionId: target } = request;
      const reply = this.publish(request);
      await audit({ tenantId, actor, action: 'assistant.published', target });
      return reply;
    });
  }

  /** Gives a session a version that holds, and a draft that has changed since: the second one, as the examples name it. */
  furnish(tenantId: string, sessionId: string): void {
    const [first, draft] = [new AssistantSettings(), new AssistantSettings()];
    this.settings.set(sessionId, {
      tenantId,
      draft,
      revision: 2,
      versions: [first],
      publications: 1,
      version: 1,
    });
  }

  private answerConversations(on: On): void {
    on(SetConversationOwner, ({ tenantId, sessionId, chat, owner, minutes }) => {
      const key = `${tenantId}/${sessionId}/${chat}`;
      this.handoffs.delete(key);
      if (owner === 'ASSISTANT') return { owner };
      const now = Date.now();
      const until = minutes && { until: new Date(now + minutes * 60_000).toISOString() };
      const row = { tenantId, sessionId, chat, id: uuidv7(), reason: 'REQUESTED' as const, ...until };
      this.handoffs.set(key, { ...row, since: new Date(now).toISOString() });
      return { owner, reason: row.reason, ...until };
    });
    on(ListHandoffs, ({ tenantId, limit, before = 'g' }) => {
      const own = [...this.handoffs.values()].filter((one) => one.tenantId === tenantId && one.id < before);
      return { handoffs: own.toReversed().slice(0, limit) };
    });
    on(ListTurns, ({ tenantId, sessionId, limit, before }) => {
      const own = this.turns.get(`${tenantId}/${sessionId}`) ?? [];
      const from = before ? own.findIndex(({ place }) => place === before) + 1 : 0;
      return { turns: own.slice(from, from + limit) };
    });
  }

  private providerOf(tenantId: string): { provider?: ProviderView } {
    const provider = this.providers.get(tenantId);
    return provider ? { provider } : {};
  }

  private setProvider({ tenantId, baseUrl, model, fallbackModel = null, key }: SetProviderV1) {
    if (!baseUrl.startsWith('https://')) throw invalidField('baseUrl', 'baseUrl must be an https address');
    const before = this.providers.get(tenantId);
    const keyEnding = key === undefined ? (before?.keyEnding ?? null) : (key?.slice(-4) ?? null);
    const revision = (before?.revision ?? 0) + 1;
    this.providers.set(tenantId, { baseUrl, model, fallbackModel, keyEnding, revision });
    return this.providerOf(tenantId);
  }

  private setDraft({ tenantId, sessionId, settings, ifRevision }: SetAssistantSettingsV1) {
    const before = this.of({ tenantId, sessionId });
    const revision = before?.revision ?? 0;
    if (ifRevision !== undefined && ifRevision !== revision) throw new AppError('ASSISTANT_CONFLICT');
    const kept = before ?? { tenantId, versions: [], publications: 0, version: 0 };
    this.settings.set(sessionId, { ...kept, draft: settings, revision: revision + 1 });
    return this.replyOf({ tenantId, sessionId });
  }

  private publish({ version, ifRevision, ...ref }: PublishAssistantSettingsV1): AssistantSettingsReply {
    const kept = this.of(ref);
    if (!kept || (ifRevision !== undefined && ifRevision !== kept.revision))
      throw new AppError('ASSISTANT_CONFLICT');
    const number =
      version ?? (kept.draft === kept.versions.at(-1) ? kept.version : kept.versions.push(kept.draft));
    if (!kept.versions[number - 1]) throw new AppError('ASSISTANT_CONFLICT');
    if (kept.version !== number) kept.publications += 1;
    kept.version = number;
    return this.replyOf(ref);
  }

  private replyOf(ref: SessionRef): AssistantSettingsReply {
    const kept = this.of(ref);
    if (!kept) return { draft: new AssistantSettings(), revision: 0 };
    const { draft, revision, version, versions, publications: publication } = kept;
    const settings = versions[version - 1];
    const publishedAt = '2026-01-31T12:00:00.000Z';
    return {
      draft,
      revision,
      ...(settings && { published: { version, settings, publication, publishedAt } }),
    };
  }

  private of({ tenantId, sessionId }: SessionRef): Kept | undefined {
    const kept = this.settings.get(sessionId);
    return kept?.tenantId === tenantId ? kept : undefined;
  }
}
