import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SendPermissionsChanged, type SessionReply, type SubscriptionState } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { AnswerCache, CACHED_MS } from './answer-cache.js';
import type { StoredKey } from './key-digest.js';

/** Copies of events, for every replica, as they are published. A change without an event is seen when the cached answers end. */
const EVENTS = ['session.*', 'subscription.*'];

/**
 * This class caches what lets a send through: a key that works, an active subscription, a connected session. Answers that allow are
 * cached for a moment, and removed when something of the tenant changes.
 */
@Injectable()
export class SendPermissions implements OnApplicationBootstrap {
  /** By kid. */
  readonly keys = new AnswerCache<StoredKey[]>(([key]) => (key?.live ? Math.min(CACHED_MS, key.msLeft) : 0));
  /** By tenant. */
  readonly subscriptions = new AnswerCache<SubscriptionState>(({ active, tokenRefusal }) =>
    active && !tokenRefusal ? CACHED_MS : 0,
  );
  /** By tenant and session. */
  readonly sessions = new AnswerCache<SessionReply>(({ session }) =>
    session.status === 'CONNECTED' && !session.restriction ? CACHED_MS : 0,
  );

  constructor(private readonly messaging: Messaging) {}

  onApplicationBootstrap(): void {
    this.messaging.onNotice(SendPermissionsChanged, ({ of }) => this.remove(of));
    for (const name of EVENTS) this.messaging.onEventCopy(name, ({ tenantId }) => this.remove(tenantId));
  }

  /**
   * Removes cached answers after a change that was made here; call it after the commit. In force here when this returns, elsewhere when
   * the notice has come.
   * @param of id of the tenant, kid of the key, or nothing: everything of everybody
   */
  invalidate(of = ''): void {
    this.remove(of);
    this.messaging.notify(SendPermissionsChanged, { of });
  }

  private remove(of: string): void {
    for (const answers of [this.keys, this.subscriptions, this.sessions]) answers.invalidate(of);
  }
}
