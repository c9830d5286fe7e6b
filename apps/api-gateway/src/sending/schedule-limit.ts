import { Injectable } from '@nestjs/common';
import { invalidField, limitReached, SEND_AHEAD_DAYS, type SubscriptionState } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { LOCK_TENANTS_SQL, mostOf } from '../limits/quotas.service.js';
import type { OutboundMessage } from './outbound-message.js';

const DAY_MS = 86_400_000;

const WAITING_SQL = `SELECT now, (SELECT count(*)::int FROM scheduled_message WHERE tenant_id = $1) AS used,
    (SELECT min(send_at) FROM scheduled_message WHERE tenant_id = $1) AS first
  FROM svc_now($1) AS now`;

const COUNT_SQL = `SELECT tenant_id AS "tenantId", count(*)::int AS count FROM scheduled_message
  WHERE tenant_id = ANY($1::uuid[]) GROUP BY tenant_id`;

/** A message that is to wait for its time, and how many of its tenant may; null: any number. */
export interface WaitingMessage {
  message: OutboundMessage;
  most: number | null;
}

/** This class limits for how long, and how many, messages may wait for their time: no daily limit counts them before. */
@Injectable()
export class ScheduleLimit {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Checks that a message may be set aside until this time. Whether there is still room when it is written, that statement sees.
   * @returns how far ahead that is, in ms
   * @throws AppError `VALIDATION_FAILED`, or `RATE_LIMITED` where too many wait already
   */
  async assertRoom(subscription: SubscriptionState, sendAt: Date): Promise<number> {
    const { tenantId } = subscription;
    const limit = mostOf(subscription, 'scheduled');
    const [{ now, used, first }] = await this.dataSource.query<
      [{ now: Date; used: number; first: Date | null }]
    >(WAITING_SQL, [tenantId]);
    const ahead = sendAt.getTime() - now.getTime();
    if (ahead <= 0) throw invalidField('sendAt', 'sendAt must be in the future');
    if (ahead > SEND_AHEAD_DAYS * DAY_MS)
      throw invalidField('sendAt', `sendAt must be at most ${SEND_AHEAD_DAYS} days ahead`);
    if (limit === null || used < limit) return ahead;
    // A tenant that may have none has no message that makes room by going out.
    const resetAt = first ?? new Date(now.getTime() + DAY_MS);
    const retryAfterSeconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1_000));
    const meta = { limit, used, resetAt: resetAt.toISOString(), retryAfterSeconds };
    throw limitReached('schedule', `No more than ${limit} messages may wait for their time.`, meta);
  }
}

/**
 * Finds the messages for which there is room, in the transaction that inserts them: nobody else adds to the schedules of their tenants
 * until it ends.
 */
export async function thoseThatFit(tx: EntityManager, waiting: WaitingMessage[]): Promise<OutboundMessage[]> {
  const tenantIds = [...new Set(waiting.map(({ message }) => message.tenantId))];
  await tx.query(LOCK_TENANTS_SQL, [tenantIds]);
  const rows = await tx.query<{ tenantId: string; count: number }[]>(COUNT_SQL, [tenantIds]);
  const counts = new Map(rows.map(({ tenantId, count }) => [tenantId, count]));
  return waiting.flatMap(({ message, most }) => {
    const count = counts.get(message.tenantId) ?? 0;
    if (most !== null && count >= most) return [];
    counts.set(message.tenantId, count + 1);
    return [message];
  });
}
