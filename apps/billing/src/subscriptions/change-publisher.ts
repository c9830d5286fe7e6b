import { Injectable } from '@nestjs/common';
import type { AuditFact, Envelope, SubscriptionChangedV1 } from '@svc/contracts';
import { AuditOutbox, auditFactOf, OutboxService } from '@svc/service';

/** Makes the audit fact of a change, under the id of its event. */
export function auditFactOfChange({ id, tenantId, data }: Envelope<SubscriptionChangedV1>): AuditFact {
  const { actor, reason, timestamp, ...details } = data;
  const fact = { id, tenantId, at: new Date(timestamp), actor, action: 'subscription.changed' };
  return auditFactOf({ ...fact, target: tenantId, ...(reason !== undefined && { reason }), details });
}

/** This class publishes changes of subscriptions after their commit: to whoever caches answers, and to the audit log. */
@Injectable()
export class ChangePublisher {
  constructor(
    private readonly outbox: OutboxService,
    private readonly audit: AuditOutbox,
  ) {}

  /** Resolves when the changes are in the audit log, or after the patience of the audit outbox. */
  async publish(changes: Envelope<SubscriptionChangedV1>[]): Promise<void> {
    this.outbox.publish(changes);
    await this.audit.deliver(changes.map(auditFactOfChange));
  }
}
