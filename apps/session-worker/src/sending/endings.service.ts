import { Injectable } from '@nestjs/common';
import {
  AppError,
  type EndedMessage,
  type EndMessageV1,
  type MessageFailure,
  type MessageStatus,
} from '@svc/contracts';
import { insertEvents, log, OutboxService } from '@svc/service';
import { DataSource } from 'typeorm';
import { FAILED_AT, failedEvent, failureOf, keyIdOf, type OutboundRow } from './outbound.js';

type Row = OutboundRow & { status: MessageStatus; failure: MessageFailure | null };

const COLUMNS =
  'job_id, session_id, tenant_id, key_id, to_jid, client_message_id, metadata, reached, status, failure';

// The row decides between whoever ends a message and its owner, who sends nothing before he has claimed it; what waits for its
// file is not on its way. Where the command has not come yet, it finds a row that has failed.
const END_SQL = `INSERT INTO outbound_message AS o
    (job_id, session_id, tenant_id, key_id, to_jid, content, client_message_id, accepted_at, metadata, failure, status, reached)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'FAILED', jsonb_build_object('FAILED', $11::text))
  ON CONFLICT (job_id) DO UPDATE SET status = 'FAILED', failure = excluded.failure, ${FAILED_AT('$11')}
    WHERE o.tenant_id = excluded.tenant_id
      AND (o.status = 'QUEUED' OR o.status = 'SENDING' AND o.content ? 'media' AND o.uploaded IS NULL)
  RETURNING ${COLUMNS}`;

const STANDING_SQL = `SELECT ${COLUMNS} FROM outbound_message WHERE job_id = $1 AND tenant_id = $2`;

/** Ends messages that have not begun to go out; any worker may, whoever owns the session. */
@Injectable()
export class EndingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /** @throws AppError `MESSAGE_NOT_FOUND` where the job is another tenant's. */
  async end({ tenantId, message, code, detail }: EndMessageV1): Promise<EndedMessage> {
    const { jobId, sessionId, to, content, clientMessageId, acceptedAt, metadata } = message;
    const documents = [metadata, failureOf(code, detail)].map((one) => one && JSON.stringify(one));
    const names = [jobId, sessionId, tenantId, keyIdOf(jobId), to];
    const facts = [JSON.stringify(content), clientMessageId, acceptedAt, ...documents];
    const parameters = [...names, ...facts, new Date().toISOString()];
    const attempt = () =>
      this.dataSource.transaction(async (tx) => {
        const [ended] = await tx.query<Row[]>(END_SQL, parameters);
        const told = ended?.failure ? [failedEvent(ended, ended.failure)] : [];
        await insertEvents(tx, told);
        const [standing] = ended ? [ended] : await tx.query<Row[]>(STANDING_SQL, [jobId, tenantId]);
        return { row: standing, events: told };
      });
    const { row, events } = await attempt().catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      return attempt(); // by now the row of the command is there to be seen
    });
    this.outbox.publish(events);
    if (!row) throw new AppError('MESSAGE_NOT_FOUND');
    if (events.length > 0) log().info({ jobId, code }, 'message ended before it went out');
    return { status: row.status, keyId: row.key_id, failure: row.failure };
  }
}

/** A command that was written at the same moment: the conflict showed in the index of the message id before that of the job. */
function isTaken(error: unknown): boolean {
  return (error as { driverError?: { code?: string } }).driverError?.code === '23505';
}
