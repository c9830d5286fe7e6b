import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ContactEvent, ContactEventsReply, ReadContactEventsV1 } from '@svc/contracts';
import { namesOf } from '@svc/service';
import { DataSource } from 'typeorm';
import { ERASED, isNamedSql } from './erased-events.js';

/** Events that are read for one reply. */
const BATCH = 1_000;
/** Bytes of payload of one reply, though one event may be larger: NATS bounds the size of a message. */
const REPLY_BYTES = 512 * 1024;

const READ_SQL = `WITH walk AS (
    SELECT id, kind, created_at, seq, CASE WHEN kind <> '${ERASED}' AND ${isNamedSql('payload', '$3', '$4')} THEN payload END AS payload
    FROM webhook_event WHERE tenant_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT ${BATCH}),
  hit AS (
    SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS bytes_before FROM walk
    WHERE payload IS NOT NULL)
  SELECT (SELECT count(*)::int FROM walk) AS looked, (SELECT max(seq) FROM walk) AS last,
    (SELECT min(seq) FROM hit WHERE bytes_before >= ${REPLY_BYTES}) AS cut, part.*
  FROM (VALUES (1)) AS one_row LEFT JOIN (
    SELECT id, kind AS event, created_at AS "createdAt", payload, seq, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('deliveryId', delivery_id, 'endpointId', endpoint_id, 'attempts', attempts,
        'reason', reason, 'deadAt', to_char(dead_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY dead_at), '[]')
      FROM webhook_dlq WHERE event_id = hit.id) AS "deadLetters"
    FROM hit WHERE bytes_before < ${REPLY_BYTES}) part ON true
  ORDER BY part.seq`;

interface Row {
  looked: number;
  last: string | null;
  /** First event that names the person and has no room in this reply. */
  cut: string | null;
  /** Id of the event; null where nothing of this batch names the person; so are the others. */
  id: string | null;
  event: string;
  createdAt: Date;
  payload: Buffer;
  deadLetters: ContactEvent['deadLetters'];
  seq: string;
}

/** This service reads the events of a tenant that name a person: the same ones that an erasure empties. */
@Injectable()
export class ContactEventsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async read({ tenantId, contact, after = '0' }: ReadContactEventsV1): Promise<ContactEventsReply> {
    const rows = await this.dataSource.query<Row[]>(READ_SQL, [
      tenantId,
      after,
      ...namesOf(contact).map((name) => Buffer.from(name)),
    ]);
    const [{ looked, last, cut }] = rows as [Row];
    const part = rows.filter(({ id }) => id !== null);
    const whole = looked === BATCH ? last : null;
    return { events: part.map(toEvent), next: cut === null ? whole : (part.at(-1)?.seq ?? null) };
  }
}

function toEvent({ id, event, createdAt, payload, deadLetters }: Row): ContactEvent {
  const data = JSON.parse(payload.toString()) as object;
  return { id: id as string, event, createdAt: createdAt.toISOString(), payload: data, deadLetters };
}
