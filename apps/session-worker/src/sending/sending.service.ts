import { Injectable } from '@nestjs/common';
import type { Envelope, SendMessageV1 } from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { OutboxService } from '../outbox/outbox.service.js';
import { RunnersService } from '../runners/runners.service.js';
import { insertEvents } from './ledger.js';
import { failedEvent, failureOf, keyIdOf } from './outbound.js';

/** Commands that are written in one statement at most. */
const BATCH = 256;

// Rows go in by order of arrival: `seq` is the order in which a session sends.
const INTAKE_SQL = `INSERT INTO outbound_message
    (job_id, session_id, tenant_id, key_id, to_jid, content, client_message_id, accepted_at)
  SELECT j.job_id, j.session_id, j.tenant_id, j.key_id, j.to_jid, j.content, j.client_message_id, j.accepted_at
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (job_id uuid, session_id uuid, tenant_id uuid, key_id text,
    to_jid text, content jsonb, client_message_id text, accepted_at timestamptz)) WITH ORDINALITY AS j (job_id,
    session_id, tenant_id, key_id, to_jid, content, client_message_id, accepted_at, n)
  ORDER BY j.n ON CONFLICT (job_id) DO NOTHING`;

const UNDELIVERABLE_SQL = `UPDATE outbound_message o SET status = 'FAILED' WHERE o.session_id = ANY($1::uuid[])
    AND o.status = 'QUEUED' AND NOT EXISTS (
      SELECT 1 FROM session s WHERE s.id = o.session_id AND s.status <> 'LOGGED_OUT' AND s.wanted <> 'DELETED')
  RETURNING o.*, EXISTS (SELECT 1 FROM session s WHERE s.id = o.session_id) AS known`;

type Undeliverable = Parameters<typeof failedEvent>[0] & { known: boolean };

interface Waiting {
  row: Record<string, unknown> & { session_id: string };
  done: (error?: unknown) => void;
}

/**
 * Takes send commands in: a command is acked once its row is committed, and from then on the row, not the stream, is
 * what gets sent. A command that comes again finds its row.
 */
@Injectable()
export class SendingService {
  private waiting: Waiting[] = [];
  private writing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly runners: RunnersService,
  ) {}

  /** Resolves when the row is committed. Calls that come while a batch is being written make up the next one. */
  take({ tenantId, data }: Envelope<SendMessageV1>): Promise<void> {
    const row = {
      job_id: data.jobId,
      session_id: data.sessionId,
      tenant_id: tenantId,
      key_id: keyIdOf(data.jobId),
      to_jid: data.to,
      content: data.content,
      client_message_id: data.clientMessageId ?? null,
      accepted_at: data.acceptedAt,
    };
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, done: (error) => (error ? reject(error as Error) : resolve()) });
      if (!this.writing) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH);
      const error = await this.insert(batch.map(({ row }) => row)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      for (const { done } of batch) done(error);
    }
    this.writing = false;
  }

  private async insert(rows: Waiting['row'][]): Promise<void> {
    const sessionIds = [...new Set(rows.map((row) => row.session_id))];
    const failed = await this.dataSource.transaction(async (tx) => {
      await tx.query(INTAKE_SQL, [JSON.stringify(rows)]);
      const [refused] = await tx.query<[Undeliverable[], number]>(UNDELIVERABLE_SQL, [sessionIds]);
      const events = refused.map((row) =>
        failedEvent(row, failureOf(row.known ? 'SESSION_LOGGED_OUT' : 'SESSION_DELETED')),
      );
      await insertEvents(tx, events);
      return events;
    });
    this.outbox.publish(failed);
    if (failed.length > 0) log().info({ messages: failed.length }, 'messages for sessions that are gone');
    for (const sessionId of sessionIds) this.runners.wake(sessionId);
  }
}
