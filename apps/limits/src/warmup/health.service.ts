import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type Envelope,
  type MessageFailedV1,
  type MessageReceivedV1,
  type OutboundMessageV1,
  type SessionDeletedV1,
  type SessionDisconnectedV1,
  type SessionLoggedOutV1,
  TIER_CAPS,
} from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { DataSource } from 'typeorm';
import { LimitsConfig } from '../config.js';
import { NumbersService } from '../tiers/numbers.service.js';
import { ContactHash } from './contact-hash.js';
import { WINDOW_DAYS } from './criteria.js';
import { type MishapKind, mishapOf } from './mishap.js';
import { PROGRESS, PROGRESS_SQL, type ProgressReport } from './progress.js';
import type { Facts } from './verdict.js';

/** A mishap of a session; its event says it once. */
export interface Mishap {
  eventId: string;
  tenantId: string;
  sessionId: string;
  kind: MishapKind;
}

/** The record of a number: its tier and the facts that its health is judged by. */
export interface HealthRecord {
  sessionId: string;
  tier: number;
  tierSince: Date;
  now: Date;
  facts: Facts;
}

/** A message of a contact to a number. */
interface Reply {
  tenantId: string;
  sessionId: string;
  contact: string;
}

/** Messages of one statement at most. */
const MOST = 256;
/** Numbers are judged by the minute; events that come meanwhile wait for the next statement, up to 256 of them. */
const EVERY_MS = 100;
/** Time for which a write waits for a database that is away; after it the event comes again. */
const PATIENCE_MS = 5_000;

// The columns are in the order of `PROGRESS_SQL`.
const REPLIED_SQL = `INSERT INTO warmup_contact (session_id, tenant_id, contact, replied_at, key_version)
  SELECT session_id, tenant_id, contact, svc_now(tenant_id), $4 FROM (
    SELECT DISTINCT ON (session_id, contact) tenant_id, session_id, contact
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS replied (tenant_id, session_id, contact)
    ORDER BY session_id, contact) AS in_order
  ON CONFLICT (session_id, contact) DO UPDATE SET replied_at = excluded.replied_at, tenant_id = excluded.tenant_id`;

// Days are counted as they are stored: those of the reservations, in UTC. All of what was sent before yesterday is older than a day.
const FACTS_SQL = `WITH number AS (
    SELECT session_id, tier, tier_since, now, greatest(tier_since, now - interval '${WINDOW_DAYS} days') AS since
    FROM warmup CROSS JOIN LATERAL svc_now(tenant_id) AS now WHERE session_id = ANY($1)),
  spans AS (
    SELECT *, (since AT TIME ZONE 'UTC')::date AS first_day, (now AT TIME ZONE 'UTC')::date AS today FROM number)
  SELECT session_id AS "sessionId", tier, tier_since AS "tierSince", now,
    (extract(epoch FROM now - tier_since) * 1000)::float8 AS "inTierMs",
    (SELECT count(*)::int FROM quota WHERE scope = 'session' AND id = session_id AND day >= first_day
      AND used > 0 AND used >= ($2::float8[])[tier + 1] * ($3::int[])[tier + 1]) AS "usedDays",
    days.*, people.*, mishaps.*
  FROM spans
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(failed), 0)::int AS failed,
      coalesce(sum(sent) FILTER (WHERE day < today - 1), 0)::int AS "sentBefore",
      coalesce(sum(delivered) FILTER (WHERE day < today - 1), 0)::int AS "deliveredBefore"
    FROM warmup_day counted WHERE counted.session_id = spans.session_id AND day >= first_day) days
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS contacts, count(*) FILTER (WHERE replied_at >= since)::int AS replied
    FROM warmup_contact contact WHERE contact.session_id = spans.session_id AND sent_at >= since) people
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE kind = 'DISCONNECTED')::int AS disconnects,
      count(*) FILTER (WHERE kind = 'LOGGED_OUT')::int AS logouts
    FROM warmup_mishap mishap WHERE mishap.session_id = spans.session_id AND at >= since) mishaps`;

/** This repository keeps what a number's health is judged by. A repeated event is kept once. */
@Injectable()
export class HealthRepository {
  /** Reports that come while others are written go together: they leave the connections to those who ask before a send. */
  private readonly reports = new GroupCommit<ProgressReport, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (reports) => this.writeReports(reports),
  });
  private readonly replies = new GroupCommit<Reply, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (replies) => this.writeReplies(replies),
  });

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: LimitsConfig,
    private readonly hash: ContactHash,
  ) {}

  progress(report: ProgressReport): Promise<void> {
    return this.reports.add(report);
  }

  reply(reply: Reply): Promise<void> {
    return this.replies.add(reply);
  }

  async mishap({ eventId, tenantId, sessionId, kind }: Mishap): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO warmup_mishap (event_id, session_id, kind, at) VALUES ($1, $2, $3, svc_now($4)) ON CONFLICT DO NOTHING`,
      [eventId, sessionId, kind, tenantId],
    );
  }

  /** Ends the warmup of a deleted session. Its row may be yet to come, with a send that was admitted before: it is made here then. */
  async end(tenantId: string, sessionId: string): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO warmup (session_id, tenant_id, tier, tier_since, ended_at) VALUES ($2, $1, 0, svc_now($1), svc_now($1))
       ON CONFLICT (session_id) DO UPDATE SET ended_at = excluded.ended_at
         WHERE warmup.tenant_id = excluded.tenant_id AND warmup.ended_at IS NULL`,
      [tenantId, sessionId],
    );
  }

  /** Reads the records of those of these numbers that have sent anything yet. */
  async recordsOf(sessionIds: string[]): Promise<HealthRecord[]> {
    const parameters = [sessionIds, this.config.leastUsed, TIER_CAPS];
    const rows = await this.dataSource.query<(Facts & Omit<HealthRecord, 'facts'>)[]>(FACTS_SQL, parameters);
    return rows.map(({ sessionId, tier, tierSince, now, ...facts }) => ({
      ...{ sessionId, tier, tierSince, now },
      facts,
    }));
  }

  private async writeReplies(replies: Reply[]): Promise<void[]> {
    const columns = [
      replies.map(({ tenantId }) => tenantId),
      replies.map(({ sessionId }) => sessionId),
      await this.hashesOf(replies),
      this.hash.version,
    ];
    await this.dataSource.query(REPLIED_SQL, columns);
    return replies.map(() => undefined);
  }

  private async writeReports(reports: ProgressReport[]): Promise<void[]> {
    await this.dataSource.query(PROGRESS_SQL, [
      reports.map(({ jobId }) => jobId),
      reports.map(({ progress }) => progress),
      await this.hashesOf(reports),
      this.hash.version,
    ]);
    return reports.map(() => undefined);
  }

  private hashesOf(batch: { contact: string }[]): Promise<string[]> {
    return this.hash.bringOver(batch.map(({ contact }) => contact));
  }
}

/** This service decides which events count for or against the health of a number. */
@Injectable()
export class HealthService {
  constructor(
    private readonly health: HealthRepository,
    private readonly numbers: NumbersService,
  ) {}

  sent({ jobId, to }: OutboundMessageV1): Promise<void> {
    return this.health.progress({ jobId, progress: PROGRESS.SENT, contact: to });
  }

  delivered({ jobId, to }: OutboundMessageV1): Promise<void> {
    return this.health.progress({ jobId, progress: PROGRESS.DELIVERED, contact: to });
  }

  /** Notes a failure. A message whose unit comes back to the session never came near the platform, and says nothing of the number. */
  async failed({ jobId, to, failure }: MessageFailedV1): Promise<void> {
    if (failure.givenBack?.includes('session')) return;
    await this.health.progress({ jobId, progress: PROGRESS.FAILED, contact: to });
  }

  /** Notes that a contact wrote: an answer, or the question that is answered next. It counts where the number writes to it, too. */
  async received({ tenantId, data }: Envelope<MessageReceivedV1>): Promise<void> {
    if (data.fromMe) return;
    const contact = data.chatId ?? data.remoteJid;
    await this.health.reply({ tenantId, sessionId: data.sessionId, contact });
  }

  /** Notes the end of a connection; a planned end does not count. */
  async ended(
    { id, tenantId, data }: Envelope<SessionDisconnectedV1 | SessionLoggedOutV1>,
    as: MishapKind,
  ): Promise<void> {
    const kind = mishapOf(as, data.reason);
    if (kind) await this.health.mishap({ eventId: id, tenantId, sessionId: data.sessionId, kind });
  }

  /** A session is gone; what its number has reached stays. */
  async deleted({ tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    await this.numbers.unlink(data.sessionId);
    await this.health.end(tenantId, data.sessionId);
  }
}
