import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SendPermissionsChanged, type SessionReply, type SubscriptionState } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import type { KeyRow } from '../auth/key-verifier.js';
import { KEPT_MS, KnownAnswers } from './known-answers.js';

/** Copies of events, for every replica, as they are published. What changes without one is seen when nothing is kept any more. */
const EVENTS = ['session.*', 'subscription.*'];

/**
 * Whether a tenant may send, as it is asked before each message: key, subscription, session. Good news is kept for a moment and forgotten
 * when something of the tenant changes.
 */
@Injectable()
export class Clearance implements OnApplicationBootstrap {
  /** By kid. */
  readonly keys = new KnownAnswers<KeyRow[]>(([row]) => (row?.live ? Math.min(KEPT_MS, row.msLeft) : 0));
  /** By tenant. */
  readonly subscriptions = new KnownAnswers<SubscriptionState>(({ active, tokenRefusal }) =>
    active && !tokenRefusal ? KEPT_MS : 0,
  );
  /** By tenant and session. */
  readonly sessions = new KnownAnswers<SessionReply>(({ session }) =>
    session.status === 'CONNECTED' && !session.restriction ? KEPT_MS : 0,
  );

  constructor(private readonly messaging: Messaging) {}

  onApplicationBootstrap(): void {
    this.messaging.onNotice(SendPermissionsChanged, ({ of }) => this.forget(of));
    for (const name of EVENTS) this.messaging.onEventCopy(name, ({ tenantId }) => this.forget(tenantId));
  }

  /**
   * Something was changed here; call it after the commit. In force here when this returns, elsewhere when the notice has come.
   * @param of id of the tenant, kid of the key, or nothing: everything of everybody
   */
  changed(of = ''): void {
    this.forget(of);
    this.messaging.notify(SendPermissionsChanged, { of });
  }

  private forget(of: string): void {
    for (const answers of [this.keys, this.subscriptions, this.sessions]) answers.forget(of);
  }
}
