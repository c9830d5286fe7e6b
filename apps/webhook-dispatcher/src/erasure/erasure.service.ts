import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type EraseContactV1, type ErasedInWebhooks, type MessageReceivedV1 } from '@svc/contracts';
import { countErased, ErasedContacts, log, namesOf } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { ERASED, isNamedSql } from '../events/erased-events.js';
import { FROM_PERSONS } from '../events/routing.js';

/** Events of one transaction: it holds the rows it changes. */
const BATCH = 1_000;
/** Longest that one request works before it answers with its progress, in ms. */
const TURN_MS = 2_000;

const NAMED_SQL = `SELECT id, seq, kind, CASE WHEN ${isNamedSql('payload', '$3', '$4')} THEN payload END AS payload
  FROM webhook_event WHERE tenant_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT ${BATCH}`;

// The row stays, with its place in the log and its id: a cursor may stand on it, and the event may come once more.
const ERASE_SQL = `WITH
  event AS (UPDATE webhook_event SET kind = '${ERASED}', payload = '{}', conversation = 0
    WHERE id = ANY($1::uuid[]) AND kind <> '${ERASED}' RETURNING id),
  delivery AS (DELETE FROM webhook_delivery WHERE event_id = ANY($1::uuid[]) RETURNING id),
  attempt AS (DELETE FROM webhook_attempt WHERE event_id = ANY($1::uuid[]) RETURNING event_id),
  letter AS (DELETE FROM webhook_dlq WHERE event_id = ANY($1::uuid[]) RETURNING event_id)
  SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM delivery) AS deliveries,
    (SELECT count(*)::int FROM attempt) AS attempts, (SELECT count(*)::int FROM letter) AS "deadLetters"`;

interface EventRow {
  id: string;
  seq: string;
  kind: string;
  /** Payload of the event; null where it does not name them. */
  payload: Buffer | null;
}

/**
 * This service erases persons: it walks the events of their tenant and empties those that name them, with all deliveries of these. What a
 * process has in its memory for an attempt at this moment goes out, once.
 */
@Injectable()
export class ErasureService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly erased: ErasedContacts,
  ) {}

  /** Erases on from where the request before came to; the answer counts all that this erasure has erased. */
  async erase(request: EraseContactV1): Promise<ErasedInWebhooks> {
    // This is committed first: from here on no event of before is taken in.
    let { counts } = await this.erased.note(this.dataSource, request);
    const end = performance.now() + TURN_MS;
    let done = false;
    while (!done && performance.now() < end) {
      ({ counts, done } = await this.dataSource.transaction((tx) => this.step(tx, request)));
    }
    const { events = 0, deliveries = 0, attempts = 0, deadLetters = 0 } = counts;
    if (done) log().info({ erasureId: request.erasureId, counts }, 'a contact is erased');
    return { events, deliveries, attempts, deadLetters, done };
  }

  private async step(
    tx: EntityManager,
    request: EraseContactV1,
  ): Promise<{ counts: Record<string, number>; done: boolean }> {
    const { tenantId, contact } = request;
    const { counts, place } = await this.erased.note(tx, request);
    const events = await tx.query<EventRow[]>(NAMED_SQL, [
      tenantId,
      place,
      ...namesOf(contact).map((name) => Buffer.from(name)),
    ]);
    const ids = events.filter((event) => isOf(event, request)).map(({ id }) => id);
    const last = events.at(-1);
    if (!last) return { counts, done: true };
    const [erased] = await tx.query<[Record<string, number>]>(ERASE_SQL, [ids]);
    return {
      counts: await countErased(tx, request.erasureId, erased, last.seq),
      done: events.length < BATCH,
    };
  }
}

/** Says whether an erasure empties an event: not what they write after it was asked for, and not what is sent to them when it is done. */
function isOf({ kind, payload }: EventRow, { before, until }: EraseContactV1): boolean {
  if (!payload) return false;
  const { timestamp, receivedAt = timestamp } = JSON.parse(payload.toString()) as MessageReceivedV1;
  const end = FROM_PERSONS.has(kind) ? before : until;
  return end === undefined || Date.parse(receivedAt) < Date.parse(end);
}
