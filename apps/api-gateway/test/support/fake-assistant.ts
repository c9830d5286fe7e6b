import { randomUUID } from 'node:crypto';
import {
  AppError,
  ApproveDraft,
  type ApproveDraftV1,
  AssistantSettings,
  type AssistantSettingsReply,
  DeleteProvider,
  DemandEvals,
  DiscardDraft,
  GetAssistantSettings,
  GetFigures,
  GetProvider,
  type EvalsRun,
  invalidField,
  Judge,
  ListDrafts,
  type ListedDraft,
  type ListedHandoff,
  type ListedTurn,
  ListHandoffs,
  ListTurns,
  NoteEvalsRun,
  type ProviderView,
  Play,
  PublishAssistantSettings,
  type PublishAssistantSettingsV1,
  type RequestContract,
  type SentDraft,
  type SessionRef,
  SetAssistantSettings,
  SetConversationOwner,
  type SetAssistantSettingsV1,
  SetProvider,
  type SetProviderV1,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import { FakeKnowledge } from './fake-knowledge.js';
import { noFigures } from './fake-figures.js';
import { FakeToolServers } from './fake-tool-servers.js';
import { FakeTools } from './fake-tools.js';
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
  evalsDemanded?: boolean;
  evals?: EvalsRun;
}

const NEW = { draft: new AssistantSettings(), revision: 0, versions: [], publications: 0, version: 0 };

/** `assistant`, as far as the gateway can tell. */
export class FakeAssistant {
  /** Providers by tenant. */
  readonly providers = new Map<string, ProviderView>();
  /** Settings by session. */
  readonly settings = new Map<string, Kept>();
  /** Turns by tenant and session, newest first. */
  readonly turns = new Map<string, ListedTurn[]>();
  /** Refusal of the next approval. */
  refusal?: AppError;
  private readonly drafts = new Map<string, ListedDraft & { end?: 'SENT' | 'DISCARDED'; jobId: string }>();
  readonly knowledge = new FakeKnowledge();
  private readonly toolServers = new FakeToolServers();
  readonly tools = new FakeTools(this.toolServers);
  private readonly handoffs = new Map<string, ListedHandoff>();

  answer(on: On, audit: Audit): void {
    on(GetProvider, ({ tenantId }) => this.providerOf(tenantId));
    on(SetProvider, (request) => this.setProvider(request));
    on(DeleteProvider, ({ tenantId }) => {
      this.providers.delete(tenantId);
      return {};
    });
    this.answerConversations(on);
    this.answerDrafts(on);
    this.knowledge.answer(on, audit);
    this.tools.answer(on);
    this.toolServers.answer(on);
    on(GetAssistantSettings, (ref) => this.replyOf(ref));
    on(SetAssistantSettings, (request) => this.setDraft(request));
    this.answerEvals(on);
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

  /** Gives a session a draft that waits. */
  addDraft(tenantId: string, sessionId: string, text: string): ListedDraft {
    const [id, now] = [uuidv7(), Date.now()];
    const times = {
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 86_400_000).toISOString(),
    };
    const chat = '4915112345678@s.whatsapp.net';
    const draft = { id, tenantId, sessionId, chat, text, version: 1, turnId: randomUUID(), ...times };
    this.drafts.set(id, { ...draft, jobId: randomUUID() });
    return draft;
  }

  private answerEvals(on: On): void {
    on(Judge, ({ messages, criteria }) => {
      if (messages.at(-1)?.from !== 'business') throw invalidField('messages', 'messages must end otherwise');
      return { verdicts: criteria.map(() => ({ holds: true, reason: null })), tokens: 210 };
    });
    on(DemandEvals, ({ demanded, tenantId, sessionId }) => {
      const before = this.of({ tenantId, sessionId }) ?? NEW;
      this.settings.set(sessionId, { ...before, tenantId, evalsDemanded: demanded });
      return this.replyOf({ tenantId, sessionId });
    });
    on(NoteEvalsRun, ({ run, ...ref }) => {
      const kept = this.of(ref);
      if (run.failed > run.conversations)
        throw invalidField('failed', 'failed must be at most conversations');
      if (!kept || kept.revision !== run.revision) throw new AppError('ASSISTANT_CONFLICT');
      kept.evals = { ...run, at: '2026-01-31T12:00:00.000Z' };
      return this.replyOf(ref);
    });
  }

  private answerDrafts(on: On): void {
    on(ListDrafts, ({ tenantId, sessionId, limit, before = 'g' }) => {
      const own = [...this.drafts.values()].filter(
        (one) => one.tenantId === tenantId && !one.end && one.id < before,
      );
      const wanted = own.filter((one) => !sessionId || one.sessionId === sessionId).toReversed();
      return { drafts: wanted.slice(0, limit).map(({ jobId: _, ...draft }) => draft), isCut: false };
    });
    on(ApproveDraft, (request) => this.approve(request));
    on(DiscardDraft, ({ tenantId, draftId }) => {
      const draft = this.draftOf(tenantId, draftId);
      if (draft.end === 'SENT') throw new AppError('DRAFT_CONFLICT');
      draft.end = 'DISCARDED';
      return {};
    });
  }

  private approve({ tenantId, draftId: id, text }: ApproveDraftV1): SentDraft {
    const draft = this.draftOf(tenantId, id);
    const { refusal } = this;
    delete this.refusal;
    if (refusal) throw refusal;
    const isOther = draft.end === 'SENT' && text !== undefined && text !== draft.text;
    if (draft.end === 'DISCARDED' || isOther) throw new AppError('DRAFT_CONFLICT');
    draft.text = text ?? draft.text;
    draft.end = 'SENT';
    return { id, jobId: draft.jobId, text: draft.text };
  }

  private draftOf(tenantId: string, id: string) {
    const draft = this.drafts.get(id);
    if (!draft) throw new AppError('DRAFT_NOT_FOUND');
    if (draft.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return draft;
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
    on(Play, ({ messages, published, ...ref }) => {
      const kept = this.of(ref);
      if (messages.at(-1)?.from !== 'contact') throw invalidField('messages', 'messages must end otherwise');
      if (published && !kept?.version) throw new AppError('ASSISTANT_CONFLICT');
      const version = published ? (kept?.version ?? null) : null;
      const said = { texts: ['We open at seven.'], outcome: 'ANSWERED' as const, detail: null };
      return { ...said, version, sources: [], toolCalls: [], tokens: 420 };
    });
    on(GetFigures, ({ days }) => noFigures(days));
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

  private setProvider({ tenantId, kind = 'openai', ...request }: SetProviderV1) {
    const { baseUrl, model, fallbackModel = null } = request;
    if (!baseUrl.startsWith('https://')) throw invalidField('baseUrl', 'baseUrl must be an https address');
    if (fallbackModel && kind !== 'openai') throw invalidField('fallbackModel', 'It is for openai alone');
    const before = this.providers.get(tenantId);
    const keyEnding = keyEndingOf(request.key, before);
    const revision = (before?.revision ?? 0) + 1;
    this.providers.set(tenantId, { kind, baseUrl, model, fallbackModel, keyEnding, revision });
    return this.providerOf(tenantId);
  }

  private setDraft({ tenantId, sessionId, settings, ifRevision }: SetAssistantSettingsV1) {
    this.tools.assertAll(tenantId, settings.tools);
    const before = this.of({ tenantId, sessionId });
    const revision = before?.revision ?? 0;
    if (ifRevision !== undefined && ifRevision !== revision) throw new AppError('ASSISTANT_CONFLICT');
    const kept = before ?? { tenantId, versions: [], publications: 0, version: 0 };
    this.settings.set(sessionId, { ...kept, draft: settings, revision: revision + 1 });
    return this.replyOf({ tenantId, sessionId });
  }

  private publish({ version, ifRevision, ...ref }: PublishAssistantSettingsV1): AssistantSettingsReply {
    const kept = this.of(ref);
    if (!kept?.revision || (ifRevision !== undefined && ifRevision !== kept.revision))
      throw new AppError('ASSISTANT_CONFLICT');
    const number = version ?? versionOf(kept);
    if (!kept.versions[number - 1]) throw new AppError('ASSISTANT_CONFLICT');
    if (kept.version !== number) kept.publications += 1;
    kept.version = number;
    return this.replyOf(ref);
  }

  private replyOf(ref: SessionRef): AssistantSettingsReply {
    const kept = this.of(ref);
    if (!kept) return { draft: new AssistantSettings(), revision: 0 };
    const {
      draft,
      revision,
      version,
      versions,
      publications: publication,
      evalsDemanded = false,
      evals,
    } = kept;
    const settings = versions[version - 1];
    const publishedAt = '2026-01-31T12:00:00.000Z';
    return {
      ...{ draft, revision, evalsDemanded },
      ...(evals && { evals }),
      ...(settings && { published: { version, settings, publication, publishedAt } }),
    };
  }

  private of({ tenantId, sessionId }: SessionRef): Kept | undefined {
    const kept = this.settings.get(sessionId);
    return kept?.tenantId === tenantId ? kept : undefined;
  }
}

/** Finds the version that the draft is, or makes one of it. */
function versionOf({ draft, versions, version, revision, evals, evalsDemanded }: Kept): number {
  if (draft === versions.at(-1)) return version;
  if (evalsDemanded && (evals?.revision !== revision || evals.failed > 0))
    throw new AppError('ASSISTANT_CONFLICT');
  return versions.push(draft);
}

function keyEndingOf(key: SetProviderV1['key'], before: ProviderView | undefined): string | null {
  return key === undefined ? (before?.keyEnding ?? null) : (key?.slice(-4) ?? null);
}
