import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  isLive,
  SendPermissionsChanged,
  SessionConnected,
  SessionDeleted,
  SessionDisconnected,
  SessionLoggedOut,
  type SessionReply,
  SubscriptionChanged,
  type SubscriptionState,
} from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import type { StoredKey } from './api-key.js';

/** Time for which an answer is cached, in ms: if the notice of a change is lost, the change is seen that much later at most. */
export const CACHED_MS = 750;
/** Part of that time after which a caller makes the cache ask again, without waiting for the answer. */
const RENEWED_AT = 0.75;
/** Entries of one cache at most; the next one empties it, and all answers are asked for anew. */
const MOST = 10_000;

interface CacheEntry<V> {
  answer: V;
  until: number;
  renewAt: number;
}

interface OpenQuestion<V> {
  now: Promise<V>;
  /** Answer for the callers that came after `now` was asked. */
  next?: Promise<V>;
}

/**
 * This class asks once for all callers who want to know the same at the same time, and caches the answer for a moment where it allows
 * something: a refusal always is a new answer ([ADR 23](../../../../docs/adr/0023-the-gateway-caches-allow-answers.md)).
 */
export class AnswerCache<V> {
  private readonly questions = new Map<string, OpenQuestion<V>>();
  private readonly entries = new Map<string, CacheEntry<V>>();
  private invalidations = 0;

  /** @param cacheMs for how long an answer may be cached; 0: not at all. */
  constructor(private readonly cacheMs: (answer: V) => number) {}

  /** Returns the cached answer, or a fresh one. @param key what is asked; `question` is the same for all of one key. */
  async cached(key: string, question: () => Promise<V>): Promise<V> {
    const entry = this.entries.get(key);
    const now = performance.now();
    if (!entry || entry.until <= now) return this.fresh(key, question);
    if (entry.renewAt <= now) {
      entry.renewAt = Infinity;
      this.fresh(key, question).catch(() => undefined); // a caller that comes after the end of the entry gets the error
    }
    return entry.answer;
  }

  /** Asks for a fresh answer. No caller gets the answer to a question that was asked before it came: what it has seen happen is in it. */
  fresh(key: string, question: () => Promise<V>): Promise<V> {
    const open = this.questions.get(key);
    if (!open) return this.ask(key, question);
    const ask = (): Promise<V> => this.ask(key, question);
    return (open.next ??= open.now.then(ask, ask));
  }

  /**
   * Removes the answers of all keys that begin like this, and those that `isOf` names; answers to questions of this moment are not cached
   * either.
   */
  invalidate(prefix: string, isOf: (answer: V) => boolean = () => false): void {
    this.invalidations += 1;
    for (const [key, { answer }] of this.entries)
      if (key.startsWith(prefix) || isOf(answer)) this.entries.delete(key);
  }

  private ask(key: string, question: () => Promise<V>): Promise<V> {
    const open: OpenQuestion<V> = { now: this.answer(key, question) };
    this.questions.set(key, open);
    const close = (): void => {
      if (!open.next) this.questions.delete(key);
    };
    open.now.then(close, close);
    return open.now;
  }

  private async answer(key: string, question: () => Promise<V>): Promise<V> {
    const { invalidations } = this;
    const since = performance.now();
    const answer = await question();
    const cacheMs = this.cacheMs(answer);
    if (cacheMs <= 0) this.entries.delete(key);
    else if (invalidations === this.invalidations) this.store(key, answer, since, cacheMs);
    return answer;
  }

  private store(key: string, answer: V, since: number, cacheMs: number): void {
    if (this.entries.size >= MOST) this.entries.clear();
    this.entries.set(key, { answer, until: since + cacheMs, renewAt: since + cacheMs * RENEWED_AT });
  }
}

/** Copies of events, for every replica, as they are published. A change without an event is seen when the cached answers end. */
const EVENTS = [SessionConnected, SessionDisconnected, SessionLoggedOut, SessionDeleted, SubscriptionChanged];

/**
 * This class caches what lets a send through: a key that works, an active subscription, a connected session. Answers that allow are
 * cached for a moment, and removed when something of the tenant changes.
 */
@Injectable()
export class SendPermissions implements OnApplicationBootstrap {
  /** Keys by kid. */
  readonly keys = new AnswerCache<StoredKey[]>(([key]) =>
    key?.live && !key.suspended ? Math.min(CACHED_MS, key.msLeft) : 0,
  );
  /** Subscriptions by tenant. */
  readonly subscriptions = new AnswerCache<SubscriptionState>(({ active, tokenRefusal }) =>
    active && !tokenRefusal ? CACHED_MS : 0,
  );
  /** Sessions by tenant and session. */
  readonly sessions = new AnswerCache<SessionReply>(({ session }) =>
    isLive(session.status) && !session.restriction ? CACHED_MS : 0,
  );

  constructor(private readonly messaging: Messaging) {}

  onApplicationBootstrap(): void {
    this.messaging.onNotice(SendPermissionsChanged, ({ of }) => this.remove(of));
    for (const event of EVENTS) this.messaging.onEventCopy(event, ({ tenantId }) => this.remove(tenantId));
  }

  /**
   * Removes cached answers after a change that was made here; call it after the commit. In force here when this returns, elsewhere when
   * the notice has come.
   * @param of id of the tenant, with all its keys; kid of a key; or nothing: everything of everybody
   */
  invalidate(of = ''): void {
    this.remove(of);
    this.messaging.notify(SendPermissionsChanged, { of });
  }

  private remove(of: string): void {
    this.keys.invalidate(of, ([key]) => key?.tenantId === of);
    for (const answers of [this.subscriptions, this.sessions]) answers.invalidate(of);
  }
}
