import { Injectable } from '@nestjs/common';
import { AppError, invalidField, SEND_AHEAD_DAYS } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** Messages of a tenant that may wait for their time; no daily limit counts them before. */
const MOST = 10_000;
const DAY_MS = 86_400_000;

const WAITING_SQL = `SELECT now, (SELECT count(*)::int FROM scheduled_message WHERE tenant_id = $1) AS used,
    (SELECT min(send_at) FROM scheduled_message WHERE tenant_id = $1) AS first
  FROM svc_now($1) AS now`;

/** This class limits for how long, and how many, messages may wait for their time. */
@Injectable()
export class ScheduleLimit {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Checks that a message may be set aside until this time.
   * @returns how far ahead that is, in ms
   * @throws AppError `VALIDATION_FAILED`, or `RATE_LIMITED` where too many wait already
   */
  async assertRoom(tenantId: string, sendAt: Date): Promise<number> {
    const [{ now, used, first }] = await this.dataSource.query<
      [{ now: Date; used: number; first: Date | null }]
    >(WAITING_SQL, [tenantId]);
    const ahead = sendAt.getTime() - now.getTime();
    if (ahead <= 0) throw invalidField('sendAt', 'sendAt must be in the future');
    if (ahead > SEND_AHEAD_DAYS * DAY_MS)
      throw invalidField('sendAt', `sendAt must be at most ${SEND_AHEAD_DAYS} days ahead`);
    if (used < MOST || !first) return ahead;
    const retryAfterSeconds = Math.max(1, Math.ceil((first.getTime() - now.getTime()) / 1_000));
    const meta = { layer: 'schedule', limit: MOST, used, resetAt: first.toISOString(), retryAfterSeconds };
    throw new AppError('RATE_LIMITED', `No more than ${MOST} messages may wait for their time.`, meta);
  }
}
