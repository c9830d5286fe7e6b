import { Inject, Injectable } from '@nestjs/common';
import { AppError, EraseInSessions, type MessageMedia } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { RpcClient } from '@svc/messaging';
import { countErased, withoutContactSql, withoutMentionSql } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { ON_CARD, QUOTED_IN_GROUP, WITH, WRITTEN_IN_GROUP } from '../contacts/contact.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { CancellationService } from '../scheduling/cancellation.service.js';

/** The task of an erasure: a contact of a tenant, as it was at a time. */
export interface ErasureTask {
  erasureId: string;
  tenantId: string;
  contact: string;
  before: string;
}

/** Messages of one transaction. */
const PIECE = 200;
/** Longest wait for a walk through the rows of a worker, in ms. */
export const PATIENCE_MS = 30_000;

/** A message to erase, with what lies elsewhere of it. */
interface ErasableMessage {
  id: string;
  sessionId: string;
  contact: string;
  keyId: string | null;
  clientMessageId: string | null;
  media: MessageMedia | null;
  /** Upload that came with it. */
  upload: string | null;
  arrived: boolean;
}

// The gateway makes no job for a contact that is being erased. What arrived has not changed since, so updated_at is when it did, by the
// same clock as the time of the request.
const erasableSql = (which: string): string => `
  SELECT id, session_id AS "sessionId", contact, key_id AS "keyId", client_message_id AS "clientMessageId", media,
    origin IS NOT NULL AS arrived,
    (SELECT u.id FROM upload u WHERE u.id = (content #>> '{media,mediaId}')::uuid AND u.tenant_id = m.tenant_id AND u.of_message) AS upload
  FROM message m WHERE ${which} AND (m.origin IS NULL AND m.direction = 'OUTBOUND' OR m.updated_at < $3) LIMIT ${PIECE}`;

const DELETE_SQL = `WITH gone AS (DELETE FROM message WHERE tenant_id = $1 AND id = ANY($2::uuid[]) RETURNING id),
  keys AS (DELETE FROM client_message WHERE tenant_id = $1 AND client_message_id = ANY($3::text[]) RETURNING job_id),
  files AS (DELETE FROM upload WHERE tenant_id = $1 AND id = ANY($4::uuid[]) RETURNING id)
  SELECT (SELECT count(*)::int FROM gone) AS messages, (SELECT count(*)::int FROM files) AS uploads, (SELECT count(*)::int FROM keys) AS "idempotencyKeys"`;

/** Conversations that have lost their newest message have another one now, or are none any more. */
const CONVERSATIONS_SQL = `WITH stale AS (
    SELECT c.id, newest.id AS message_id, newest.created_at FROM conversation c
    LEFT JOIN LATERAL (SELECT m.id, m.created_at FROM message m
      WHERE m.tenant_id = c.tenant_id AND m.contact = c.contact AND m.session_id = c.session_id
      ORDER BY m.created_at DESC, m.id DESC LIMIT 1) newest ON true
    WHERE c.tenant_id = $1 AND c.contact = ANY($2::text[]) AND NOT EXISTS (SELECT FROM message m WHERE m.id = c.last_message_id)),
  moved AS (UPDATE conversation c SET last_message_id = stale.message_id, last_at = stale.created_at
    FROM stale WHERE c.id = stale.id AND stale.message_id IS NOT NULL),
  gone AS (DELETE FROM conversation c USING stale WHERE c.id = stale.id AND stale.message_id IS NULL RETURNING c.id)
  SELECT count(*)::int AS conversations FROM gone`;

const VOTES_SQL = `DELETE FROM poll_vote WHERE tenant_id = $1 AND (voter = $2 OR chat = $2) AND happened_at < $3`;
const OPT_OUT_SQL = 'DELETE FROM opt_out WHERE tenant_id = $1 AND contact = $2 AND changed_at < $3';
// The options of a poll are words of who wrote it.
const VOTES_IN_THEIRS_SQL = 'DELETE FROM poll_vote WHERE tenant_id = $1 AND poll_id = ANY($2::uuid[])';

const QUOTES_SQL = `UPDATE message m SET
    origin = CASE WHEN origin #>> '{quoted,remoteJid}' = $2 THEN jsonb_set(origin, '{quoted}', 'null') ELSE origin END
      || ${withoutMentionSql('origin', '$2')},
    content = ${withoutContactSql('content', '$2')}
  WHERE ${QUOTED_IN_GROUP}`;

// Nothing reads the card of a message that has gone out; the message to somebody else stays.
const CARDS_SQL = `UPDATE message m SET content = content - 'contact', body = body - 'displayName'
  WHERE ${ON_CARD} AND m.status <> 'QUEUED'`;
const OPEN_CARDS_SQL = `SELECT id FROM message m WHERE ${ON_CARD} AND m.status = 'QUEUED' LIMIT ${PIECE}`;

/** This class erases what the gateway keeps of a contact, piece by piece; an erasure that was interrupted goes on where it was. */
@Injectable()
export class MessageErasure {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rpc: RpcClient,
    private readonly rows: MessagesRepository,
    private readonly cancellation: CancellationService,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
  ) {}

  async erase(task: ErasureTask): Promise<void> {
    for (const which of [WITH, WRITTEN_IN_GROUP]) {
      const parameters = [task.tenantId, task.contact, task.before];
      let rows: ErasableMessage[];
      do {
        rows = await this.dataSource.query<ErasableMessage[]>(erasableSql(which), parameters);
        await this.erasePiece(task, rows);
      } while (rows.length === PIECE);
    }
    await this.dataSource.query(OPT_OUT_SQL, [task.tenantId, task.contact, task.before]);
    await this.dataSource.query(VOTES_SQL, [task.tenantId, task.contact, task.before]);
    await this.dataSource.transaction((tx) => eraseQuotes(tx, task));
    await this.cancelCards(task);
    await this.dataSource.transaction((tx) => eraseCards(tx, task));
  }

  /**
   * Cancels what would still bring a card of the contact to somebody else.
   * @throws AppError `CONTACT_CONFLICT` where one is on its way at this moment: the erasure goes on later.
   */
  private async cancelCards({ tenantId, contact }: ErasureTask): Promise<void> {
    const rows = await this.dataSource.query<{ id: string }[]>(OPEN_CARDS_SQL, [tenantId, contact]);
    for (const { id } of rows) {
      const message = await this.rows.find(tenantId, id);
      const ended = message && (await this.cancellation.end(message, 'CANCELED'));
      if (ended && ended.status !== 'FAILED') throw new AppError('CONTACT_CONFLICT');
    }
  }

  /** Erases the messages of a piece; their rows last, because they say what else there is. */
  private async erasePiece(task: ErasureTask, rows: ErasableMessage[]): Promise<void> {
    const messages = rows.flatMap(({ id, sessionId, keyId, arrived }) =>
      arrived && keyId ? [{ messageId: id, sessionId, keyId }] : [],
    );
    if (messages.length > 0) await this.rpc.request(EraseInSessions, { ...task, messages }, PATIENCE_MS);
    for (const { media } of rows) if (media?.status === 'STORED') await this.store.delete(media.mediaId);
    for (const { upload } of rows) if (upload) await this.store.delete(upload);
    await this.dataSource.transaction((tx) => erasePiece(tx, task, rows));
  }
}

async function erasePiece(tx: EntityManager, task: ErasureTask, rows: ErasableMessage[]): Promise<void> {
  const { tenantId, contact, erasureId } = task;
  const ids = rows.map(({ id }) => id);
  const keys = rows.flatMap(({ clientMessageId }) => clientMessageId ?? []);
  const uploads = rows.flatMap(({ upload }) => upload ?? []);
  const [erased] = await tx.query<[Record<string, number>]>(DELETE_SQL, [tenantId, ids, keys, uploads]);
  await tx.query(VOTES_IN_THEIRS_SQL, [tenantId, ids]);
  const chats = [...new Set([contact, ...rows.map((row) => row.contact)])];
  const [left] = await tx.query<[Record<string, number>]>(CONVERSATIONS_SQL, [tenantId, chats]);
  await countErased(tx, erasureId, { ...erased, ...left });
}

async function eraseQuotes(tx: EntityManager, { tenantId, contact, erasureId }: ErasureTask): Promise<void> {
  const [, quotes] = await tx.query<[unknown[], number]>(QUOTES_SQL, [tenantId, contact]);
  await countErased(tx, erasureId, { quotes });
}

async function eraseCards(tx: EntityManager, { tenantId, contact, erasureId }: ErasureTask): Promise<void> {
  const [, cards] = await tx.query<[unknown[], number]>(CARDS_SQL, [tenantId, contact]);
  await countErased(tx, erasureId, { quotes: cards });
}
