import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Envelope, SessionReply, SubscriptionState } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import type { KeyRow } from './key-verifier.js';
import { KEPT_MS, KnownAnswers } from './answer-cache.js';

/** What the other replicas hear of a change that was made in one of them. */
const CHANGED = 'notice.api-gateway.clearance-changed';
/** Copies of events, for every replica, as they are published. What changes without one is seen when nothing is kept any more. */
const EVENTS = ['evt.*.session.*', 'evt.*.subscription.*'];

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
    this.messaging.onNotice(CHANGED, (data) => this.forget((data as { of: string }).of));
    const heard = (data: unknown): void => this.forget((data as Envelope).tenantId);
    for (const subject of EVENTS) this.messaging.onNotice(subject, heard);
  }

  /**
   * Something was changed here; call it after the commit. In force here when this returns, elsewhere when the notice has come.
   * @param of id of the tenant, kid of the key, or nothing: everything of everybody
   */
  changed(of = ''): void {
    this.forget(of);
    this.messaging.notify(CHANGED, { of });
  }

  private forget(of: string): void {
    for (const answers of [this.keys, this.subscriptions, this.sessions]) answers.forget(of);
  }
}
