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
import { Platform } from '../platform/port.js';
import { failureOf } from './ledger/failures.js';
import { FAILED_AT, failedEvent, type OutboundRow, ROW_COLUMNS } from './ledger/outbound.js';

type Row = OutboundRow & { status: MessageStatus; failure: MessageFailure | null };

const COLUMNS = `${ROW_COLUMNS}, o.status, o.failure`;

// The row decides between the caller that ends a message and its owner, who sends nothing before he has claimed it; a message that waits
// for its file is not on its way. Where the command has not come yet, it finds a row that has failed.
const END_SQL = `INSERT INTO outbound_message AS o
    (job_id, session_id, tenant_id, key_id, to_jid, content, client_message_id, accepted_at, metadata, failure, status, reached, sent_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'FAILED', jsonb_build_object('FAILED', $11::text), $12)
  ON CONFLICT (job_id) DO UPDATE SET status = 'FAILED', failure = excluded.failure, ${FAILED_AT('$11')}
    WHERE o.tenant_id = excluded.tenant_id
      AND (o.status = 'QUEUED' OR o.status = 'SENDING' AND o.content ? 'media' AND o.uploaded IS NULL)
  RETURNING ${COLUMNS}`;

const STATUS_SQL = `SELECT ${COLUMNS} FROM outbound_message o WHERE o.job_id = $1 AND o.tenant_id = $2`;

/** Ends messages that have not begun to go out; any worker may, also one that does not own the session. */
@Injectable()
export class EndingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly platform: Platform,
  ) {}

  /** @throws AppError `MESSAGE_NOT_FOUND` where the job is another tenant's. */
  async end({ tenantId, message, code, detail }: EndMessageV1): Promise<EndedMessage> {
    const { jobId, sessionId, to, content, clientMessageId, acceptedAt, metadata, sentBy } = message;
    const documents = [metadata, failureOf(code, detail)].map((one) => one && JSON.stringify(one));
    const names = [jobId, sessionId, tenantId, this.platform.keyIdOf(jobId), to];
    const facts = [JSON.stringify(content), clientMessageId, acceptedAt, ...documents];
    const parameters = [...names, ...facts, new Date().toISOString(), sentBy ?? null];
    const attempt = () =>
      this.dataSource.transaction(async (tx) => {
        const [ended] = await tx.query<Row[]>(END_SQL, parameters);
        const events = ended?.failure ? [failedEvent(ended, ended.failure)] : [];
        await insertEvents(tx, events);
        const [row] = ended ? [ended] : await tx.query<Row[]>(STATUS_SQL, [jobId, tenantId]);
        return { row, events };
      });
    const { row, events } = await attempt().catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      return attempt(); // the row of the command is there to be seen by now
    });
    this.outbox.publish(events);
    if (!row) throw new AppError('MESSAGE_NOT_FOUND');
    if (events.length > 0) log().info({ jobId, code }, 'message ended before it went out');
    return { status: row.status, keyId: row.key_id, failure: row.failure };
  }
}

/** Says whether a command was written at the same moment: the conflict showed in the index of the message id before that of the job. */
function isConflict(error: unknown): boolean {
  return (error as { driverError?: { code?: string } }).driverError?.code === '23505';
}
