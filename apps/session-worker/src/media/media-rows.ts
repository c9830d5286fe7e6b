import type { Envelope, MessageMedia } from '@svc/contracts';
import { type Fence, FENCE_SQL, fenceParameters } from '@svc/ownership';
import type { DataSource } from 'typeorm';

/** File that a journaled message waits for before its event goes out. */
export interface PendingFile {
  mediaId: string;
  sessionId: string;
  tenantId: string;
  partition: number;
  mimeType: string | null;
}

/** Reads the files that sessions of these partitions wait for: the oldest of each tenant, then its next. */
export async function pendingFiles(
  dataSource: DataSource,
  partitions: number[],
  limit: number,
): Promise<PendingFile[]> {
  return dataSource.query<PendingFile[]>(
    `WITH next AS (SELECT m.media_id, m.seq, s.tenant_id,
         row_number() OVER (PARTITION BY s.tenant_id ORDER BY m.seq) AS turn
       FROM inbound_media m JOIN session s ON s.id = m.session_id
       WHERE m.status = 'PENDING' AND m.partition = ANY($1::int[]) ORDER BY turn, m.seq LIMIT ${limit})
     SELECT m.media_id AS "mediaId", m.session_id AS "sessionId", next.tenant_id AS "tenantId", m.partition,
       coalesce(envelope #>> '{data,body,mimeType}', envelope #>> '{data,body,inner,mimeType}') AS "mimeType"
     FROM next JOIN inbound_media m USING (media_id) ORDER BY next.turn, next.seq`,
    [partitions],
  );
}

/** Counts an attempt before it is made, so that a file which kills the process is not tried for ever. */
export async function beginAttempt(
  dataSource: DataSource,
  fence: Fence,
  mediaId: string,
): Promise<{ attempts: number; plaintext: Uint8Array } | undefined> {
  const [rows] = await dataSource.query<[{ attempts: number; plaintext: Uint8Array }[], number]>(
    `WITH ${FENCE_SQL}
     UPDATE inbound_media m SET attempts = attempts + 1 FROM fence, inbound_message i
     WHERE m.media_id = $3 AND m.status = 'PENDING'
       AND i.session_id = m.session_id AND i.sender = m.sender AND i.key_id = m.key_id
     RETURNING m.attempts, i.plaintext`,
    [...fenceParameters([fence]), mediaId],
  );
  return rows[0];
}

/** Uncounts an attempt of which nothing came for reasons that are not the file's. */
export async function withdrawAttempt(dataSource: DataSource, fence: Fence, mediaId: string): Promise<void> {
  await dataSource.query(
    `WITH ${FENCE_SQL}
     UPDATE inbound_media m SET attempts = attempts - 1 FROM fence WHERE m.media_id = $3 AND m.status = 'PENDING'`,
    [...fenceParameters([fence]), mediaId],
  );
}

/** Fields of the event of a message whose content cannot be written, beside its file. */
const NOTHING_TOLD = {
  pushName: null,
  body: { type: 'unsupported', original: 'unreadable' },
  unsupportedReason: 'UNREADABLE',
};
const DETAILS = ['quoted', 'mentions', 'choiceId', 'referral'];

/**
 * Writes what became of the file, and with it the event of its message; undefined when that is done or not ours.
 * @param isWithoutContent tells of the message only from whom and when it came.
 */
export async function finishMedia(
  dataSource: DataSource,
  fence: Fence,
  media: MessageMedia,
  isWithoutContent = false,
): Promise<Envelope | undefined> {
  const [row] = await dataSource.query<{ envelope: Envelope }[]>(
    `WITH ${FENCE_SQL},
     ripe AS (SELECT m.media_id, jsonb_set(m.envelope, '{data}', (m.envelope -> 'data') - $7::text[] || $5::jsonb) AS envelope
       FROM inbound_media m, fence WHERE m.media_id = $3::uuid AND m.status = 'PENDING' FOR UPDATE OF m),
     done AS (UPDATE inbound_media m SET status = $4, bytes = $6::bigint, tenant_id = (ripe.envelope ->> 'tenantId')::uuid, envelope = NULL
       FROM ripe WHERE m.media_id = ripe.media_id)
     INSERT INTO event_outbox (id, envelope) SELECT media_id, envelope FROM ripe RETURNING envelope`,
    [
      ...[...fenceParameters([fence]), media.mediaId, media.status],
      JSON.stringify({ media, ...(isWithoutContent ? NOTHING_TOLD : {}) }),
      ...[media.size, isWithoutContent ? DETAILS : []],
    ],
  );
  return row?.envelope;
}

/** Ends the wait for a file of whose message no event can be written. */
export async function endUntold(dataSource: DataSource, fence: Fence, mediaId: string): Promise<void> {
  await dataSource.query(
    `WITH ${FENCE_SQL}
     UPDATE inbound_media m SET status = 'FAILED', envelope = NULL FROM fence WHERE m.media_id = $3 AND m.status = 'PENDING'`,
    [...fenceParameters([fence]), mediaId],
  );
}
