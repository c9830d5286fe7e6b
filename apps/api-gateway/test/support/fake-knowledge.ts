import {
  AddKnowledge,
  type AddKnowledgeBody,
  type AddKnowledgeV1,
  AppError,
  DeleteKnowledge,
  DismissGap,
  GetKnowledge,
  invalidField,
  type KnowledgeSourceText,
  ListGaps,
  type ListedGap,
  ListKnowledge,
  type RequestContract,
  SearchKnowledge,
  type SessionRef,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Audit } from './fake-dispatcher.js';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

const keyOf = ({ tenantId, sessionId }: SessionRef): string => `${tenantId}/${sessionId}`;

/** Knowledge of assistants, as far as the gateway can tell. */
export class FakeKnowledge {
  /** Gaps by tenant and session, those asked last first. */
  readonly gaps = new Map<string, ListedGap[]>();
  /** Files that were asked to be read. */
  readonly files: string[] = [];
  private readonly sources = new Map<string, KnowledgeSourceText[]>();

  answer(on: On, audit: Audit): void {
    on(AddKnowledge, async ({ actor, ...request }) => {
      const source = this.add(request);
      const { tenantId, sessionId: target } = request;
      if (actor) await audit({ tenantId, actor, action: 'assistant.knowledge_added', target });
      return { source };
    });
    on(ListKnowledge, ({ limit, before = 'g', ...ref }) => ({
      sources: this.of(ref)
        .filter(({ id }) => id < before)
        .slice(0, limit)
        .map(({ text: _, ...source }) => source),
    }));
    on(GetKnowledge, (ref) => ({ source: found(this.of(ref), ref.id) }));
    on(DeleteKnowledge, async ({ actor, ...ref }) => {
      this.drop(this.sources, ref);
      const { tenantId, sessionId: target } = ref;
      if (actor) await audit({ tenantId, actor, action: 'assistant.knowledge_removed', target });
      return {};
    });
    on(SearchKnowledge, ({ query, ...ref }) => ({
      items: this.of(ref)
        .filter(({ text }) => query.split(' ').some((word) => text.includes(word)))
        .map(({ id: sourceId, title, text }) => ({ sourceId, title, text, score: 1 })),
    }));
    on(ListGaps, ({ limit, before, ...ref }) => {
      const own = this.gaps.get(keyOf(ref)) ?? [];
      const from = before ? own.findIndex(({ place }) => place === before) + 1 : 0;
      return { gaps: own.slice(from, from + limit) };
    });
    on(DismissGap, (ref) => this.drop(this.gaps, ref));
  }

  /** Has contacts ask something, after what was asked before; of those here the last one first. @returns the ids of the gaps. */
  ask(ref: SessionRef, questions: string[]): string[] {
    const gaps = questions.map((question, index) => {
      const [id, at] = [uuidv7(), '2026-01-31T12:00:00.000Z'];
      return { id, question, count: 1, firstAt: at, lastAt: at, place: `${index}/${id}` };
    });
    this.gaps.set(keyOf(ref), [...gaps, ...(this.gaps.get(keyOf(ref)) ?? [])]);
    return gaps.map(({ id }) => id);
  }

  private add({ source: given, ...ref }: AddKnowledgeV1): KnowledgeSourceText {
    const { title, text = '', mediaId } = given;
    checkKind(given);
    if (mediaId) this.files.push(mediaId);
    const at = new Date().toISOString();
    const fields = { id: uuidv7(), title, text, characters: text.length, createdAt: at };
    const source = { ...fields, ...kindOf(given, at), error: null, shortened: false } as KnowledgeSourceText;
    this.sources.set(keyOf(ref), [source, ...this.of(ref)]);
    return source;
  }

  private of(ref: SessionRef): KnowledgeSourceText[] {
    return this.sources.get(keyOf(ref)) ?? [];
  }

  private drop<T extends { id: string }>(
    kept: Map<string, T[]>,
    { id, ...ref }: SessionRef & { id: string },
  ) {
    const own = kept.get(keyOf(ref)) ?? [];
    found(own, id);
    kept.set(
      keyOf(ref),
      own.filter((one) => one.id !== id),
    );
    return {};
  }
}

function checkKind({ text, url, mediaId }: AddKnowledgeBody): void {
  const places = [url, mediaId].filter((place) => place !== undefined);
  if (places.length === 2) throw invalidField('mediaId', 'mediaId must be left out');
  if ((text === undefined) === (places.length === 0)) throw invalidField('text', 'text is one of three');
}

function kindOf({ url, mediaId, refreshHours = 24 }: AddKnowledgeBody, at: string): object {
  const waits = { state: 'WAITING', readAt: null, nextReadAt: at };
  if (url) return { kind: 'ADDRESS', url, refreshHours, ...waits };
  if (mediaId) return { kind: 'FILE', url: null, refreshHours: null, ...waits };
  return { kind: 'TEXT', url: null, refreshHours: null, state: 'READY', readAt: at, nextReadAt: null };
}

function found<T extends { id: string }>(own: T[], id: string): T {
  const one = own.find((each) => each.id === id);
  if (!one) throw new AppError('KNOWLEDGE_NOT_FOUND');
  return one;
}
