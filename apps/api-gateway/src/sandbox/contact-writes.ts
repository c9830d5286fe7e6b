import { Injectable } from '@nestjs/common';
import { limitReached } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { entitlementsOf } from '../limits/entitlements.js';
import { TODAY } from '../limits/sandbox-limits.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

const TAKE_SQL = `INSERT INTO sandbox_day AS last (tenant_id, day, written) SELECT $1::uuid, ${TODAY}, 1 WHERE $2::int > 0
  ON CONFLICT (tenant_id) DO UPDATE SET day = excluded.day, written = CASE WHEN last.day = excluded.day THEN last.written ELSE 0 END + 1
    WHERE last.day <> excluded.day OR last.written < $2
  RETURNING written`;
const DAY_MS = 86_400_000;

/** This class limits how often the contacts of a sandbox write: as many times a day as the plan lets its tenant send. */
@Injectable()
export class ContactWrites {
  constructor(
    private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  /** @throws AppError `RATE_LIMITED` */
  async take(tenantId: string): Promise<void> {
    const { messages: limit } = entitlementsOf(await this.subscriptions.of(tenantId));
    if (limit === null) return;
    const taken = await this.dataSource.query<unknown[]>(TAKE_SQL, [tenantId, limit]);
    if (taken.length > 0) return;
    const left = DAY_MS - (Date.now() % DAY_MS);
    const resetAt = new Date(Date.now() + left).toISOString();
    throw limitReached('plan', `Contacts of a sandbox write ${limit} times a day.`, {
      ...{ resource: 'sandbox', limit, used: limit, resetAt },
      retryAfterSeconds: Math.ceil(left / 1_000),
    });
  }
}
