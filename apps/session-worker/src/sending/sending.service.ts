import { Injectable } from '@nestjs/common';
import type { Envelope, SendMessageV1 } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { ErasedContacts, insertEvents, isErasedSql, log, OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { Platform } from '../platform/port.js';
import { atStep } from '../steps.js';
import { failureOf } from './ledger/failures.js';
import { eventsSoFar, FAILED_AT, isOverdue } from './ledger/outbound.js';
import type { SessionSender } from './session-sender.js';

/** Commands that are written in one statement at most. */
const BATCH = 256;
/** Time between two writes, in ms; no caller waits for it (ADR 24). */
const EVERY_MS = 20;

// The parameter $1 is the data of the commands, as they came. What was accepted for a contact who has been erased since is nobody's any
// more. Rows go in by order of arrival: `seq` is the order in which a session sends.
const INTAKE_SQL = `INSERT INTO outbound_message
    (job_id, session_id, tenant_id, key_id, to_jid, content, client_message_id, accepted_at, metadata, expires_at, requested_to, sent_by, only_in_mode,
    unless_written_since)
  SELECT j.job_id, j.session_id, j.tenant_id, j.key_id, j.to_jid, j.content, j.client_message_id, j.accepted_at,
    j.metadata, j.expires_at, j.requested_to, j.sent_by, j.only_in_mode, j.unless_written_since
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS ("jobId" uuid, "sessionId" uuid, "to" text, content jsonb,
    "clientMessageId" text, "acceptedAt" timestamptz, metadata jsonb, "expiresAt" timestamptz, "requestedTo" text, "sentBy" text, "onlyInMode" text,
    "unlessWrittenSince" timestamptz),
    unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[])) WITH ORDINALITY AS j (job_id, session_id, to_jid,
    content, client_message_id, accepted_at, metadata, expires_at, requested_to, sent_by, only_in_mode, unless_written_since, tenant_id, key_id, contact, n)
  WHERE NOT ${isErasedSql({ tenant: 'j.tenant_id', hashes: 'j.contact', at: 'j.accepted_at', toThem: 'true' })}
  ORDER BY j.n ON CONFLICT DO NOTHING RETURNING job_id`;

// These are commands that have just come; one that a logout or a deletion has missed at the same moment comes again with the gateway's
// repeat of it. The status in words that no index knows: rows are found by their key, not among all that is open
// (docs/adr/0028-statements-use-the-primary-key.md).
const UNDELIVERABLE_SQL = `UPDATE outbound_message o SET status = 'FAILED', failure = CASE
      WHEN s.id IS NULL OR s.wanted = 'DELETED' THEN $3::jsonb WHEN s.status = 'LOGGED_OUT' AND q.expires_at IS NULL THEN $4::jsonb ELSE $5::jsonb END,
    ${FAILED_AT('$6')}
  FROM outbound_message q LEFT JOIN session s ON s.id = q.session_id
  WHERE o.job_id = q.job_id AND o.status || '' = 'QUEUED' AND q.job_id = ANY($1::uuid[]) AND (s.id IS NULL
    OR s.wanted = 'DELETED' OR s.status = 'LOGGED_OUT' AND q.expires_at IS NULL OR ${isOverdue('q', '$2')})
  RETURNING o.*`;
const REASONS = (['SESSION_DELETED', 'SESSION_LOGGED_OUT', 'EXPIRED'] as const).map((code) =>
  JSON.stringify(failureOf(code)),
);

type EndedRow = Parameters<typeof eventsSoFar>[0];

/**
 * Takes send commands in: a command is acked once its row is committed, and from then on the row, not the stream, is
 * what gets sent. A command that comes again finds its row.
 */
@Injectable()
export class SendingService {
  /** Senders with an open socket, by session: each is woken when a message comes in. */
  readonly senders = new Map<string, SessionSender>();
  private readonly intake = new GroupCommit<Envelope<SendMessageV1>, void>({
    most: BATCH,
    everyMs: EVERY_MS,
    // Commands come back as one write and not by the stream: a refused command would come back after those behind it.
    write: (commands) => this.insert(commands),
  });

  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly platform: Platform,
    private readonly erased: ErasedContacts,
  ) {}

  /** Takes a command in; resolves when its row is committed. */
  take(command: Envelope<SendMessageV1>): Promise<void> {
    return this.intake.add(command);
  }

  private async insert(commands: Envelope<SendMessageV1>[]): Promise<void[]> {
    const jobIds = commands.map(({ data }) => data.jobId);
    const columns = [
      JSON.stringify(commands.map(({ data }) => data)),
      commands.map(({ tenantId }) => tenantId),
      jobIds.map((jobId) => this.platform.keyIdOf(jobId)),
      commands.map(({ tenantId, data }) => this.erased.hashesOf(tenantId, [data.to])),
    ];
    const events = await this.dataSource.transaction(async (tx) => {
      const inserted = await tx.query<{ job_id: string }[]>(INTAKE_SQL, columns);
      const repeated = await this.endedBefore(tx, jobIds, new Set(inserted.map(({ job_id }) => job_id)));
      const limits = [jobIds, this.config.sendExpiryMs, ...REASONS, new Date().toISOString()];
      const [refused] = await tx.query<[EndedRow[], number]>(UNDELIVERABLE_SQL, limits);
      if (refused.length > 0) log().info({ messages: refused.length }, 'messages that cannot go out');
      const all = [...repeated, ...refused].flatMap(eventsSoFar);
      await insertEvents(tx, all);
      atStep('out-1');
      return all;
    });
    atStep('out-2');
    this.outbox.publish(events);
    for (const sessionId of new Set(commands.map(({ data }) => data.sessionId)))
      this.senders.get(sessionId)?.wake();
    return commands.map(() => undefined);
  }

  /** Finds the outcomes of commands that come again: their events may have been lost on the way, and are published again. */
  private async endedBefore(tx: EntityManager, jobIds: string[], inserted: Set<string>): Promise<EndedRow[]> {
    const repeated = jobIds.filter((jobId) => !inserted.has(jobId));
    if (repeated.length === 0) return [];
    return tx.query<EndedRow[]>(
      `SELECT * FROM outbound_message WHERE job_id = ANY($1::uuid[]) AND status NOT IN ('QUEUED', 'SENDING')`,
      [repeated],
    );
  }
}
