import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LIMIT_LAYERS } from '@svc/contracts';
import { GroupCommit } from '@svc/database';
import { contactHash, isErasedSql } from '@svc/service';
import { DataSource, Repository } from 'typeorm';
import { conversationIdOf, moveSql } from './conversation-moves.js';
import { Message } from './message.entity.js';
import { type Progress, progressRows } from './progress.js';

/** A message that came from the platform: a contact wrote it, or the phone itself. */
export type InboundMessage = Pick<
  Message,
  | 'id'
  | 'tenantId'
  | 'sessionId'
  | 'direction'
  | 'status'
  | 'contact'
  | 'keyId'
  | 'createdAt'
  | 'body'
  | 'origin'
  | 'media'
>;

const ARRIVALS = `SELECT * FROM jsonb_to_recordset($1::jsonb) AS arrived (id uuid, tenant_id uuid, session_id uuid, conversation_id uuid,
    direction text, status text, contact text, key_id text, created_at timestamptz, body jsonb, origin jsonb, media jsonb,
    persons text[], happened timestamptz)`;

const INSERT_SQL = `WITH arrived AS MATERIALIZED (${ARRIVALS}),
  written AS (
    INSERT INTO message (id, tenant_id, session_id, direction, status, contact, key_id, created_at, body, origin, media)
    SELECT id, tenant_id, session_id, direction, status, contact, key_id, created_at, body, origin, media FROM arrived
    WHERE NOT ${isErasedSql({
      tenant: 'arrived.tenant_id',
      contacts: `SELECT decode(person, 'hex') FROM unnest(persons) AS person`,
      at: 'happened',
      toThem: 'false',
    })}
    ORDER BY id ON CONFLICT DO NOTHING RETURNING *)
  ${moveSql('(SELECT written.*, conversation_id FROM written JOIN arrived USING (id))')}`;

const ERASING_SQL = `SELECT EXISTS (SELECT FROM erasure WHERE tenant_id = $1 AND contact = $2 AND finished_at IS NULL) AS erasing`;

// What `limits` asks about was reserved minutes ago, or days where it was down: it forgets a unit after 35.
const EXISTING_SQL = `SELECT id FROM message WHERE id = ANY($1)
  AND coalesce(released_at, CASE WHEN send_at IS NULL THEN created_at END) > clock_timestamp() - interval '30 days'
  AND NOT (status = 'FAILED' AND coalesce(failure -> 'givenBack' @> $2::jsonb, false))`;

const KNOWS_CONTACT_SQL = `
  SELECT EXISTS (SELECT FROM message WHERE tenant_id = $1 AND session_id = $2 AND contact = $3
    AND (direction = 'INBOUND' OR status IN ('SENT', 'DELIVERED', 'READ'))) AS known`;

/** An inbound message, and when it happened as erasures look at it. */
interface Arrival {
  message: InboundMessage;
  happened: Date;
}

/** Of one statement at most. */
const MOST = 256;
/** A state that is seen a moment later is as good (ADR 24). */
const EVERY_MS = 50;
/** Where the database is away for longer, the event comes again. */
const PATIENCE_MS = 5_000;

/**
 * This class runs the statements that every message needs, written out: the query builder took a sixth of the gateway's CPU. What events
 * tell of many messages at about the same time is written together, and leaves the connections to those who send.
 */
@Injectable()
export class MessagesRepository {
  private readonly progress = new GroupCommit<Progress, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (steps) => this.advanceAll(steps),
  });
  private readonly arrivals = new GroupCommit<Arrival, void>({
    most: MOST,
    everyMs: EVERY_MS,
    patienceMs: PATIENCE_MS,
    write: (arrivals) => this.insertAll(arrivals),
  });

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
  ) {}

  /** Finds a message of the tenant by its id. */
  find(tenantId: string, id: string): Promise<Message | null> {
    return this.messages.findOneBy({ tenantId, id });
  }

  /** Whether the contact has written to the session, or was sent something by it. */
  async knowsContact(tenantId: string, sessionId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ known: boolean }[]>(KNOWS_CONTACT_SQL, [
      tenantId,
      sessionId,
      contact,
    ]);
    return row?.known === true;
  }

  /**
   * Finds those of these jobs whose message went out, or may, by the unit that was just taken. A message that has given back its unit is
   * none: where it was canceled while its time came, the unit may have been taken after that. Nor has one that waits for its time,
   * or is older than what is remembered of units: those were taken for repeats of its `clientMessageId`.
   */
  async existing(jobIds: string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(EXISTING_SQL, [
      jobIds,
      JSON.stringify(LIMIT_LAYERS),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Moves an outbound message on, never back; an unknown job is somebody else's. */
  advance(progress: Progress): Promise<void> {
    return this.progress.add(progress);
  }

  /** Whether messages to this contact are refused, because all that is there is being erased. */
  async isBeingErased(tenantId: string, contact: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ erasing: boolean }[]>(ERASING_SQL, [tenantId, contact]);
    return row?.erasing === true;
  }

  /**
   * Writes a message that came from the platform, and moves its conversation, together; a repeat of the event changes nothing.
   * @param happened when, as erasures look at it: nothing is written of a contact who was erased since.
   */
  insertInbound(message: InboundMessage, happened: Date): Promise<void> {
    return this.arrivals.add({ message, happened });
  }

  private async advanceAll(steps: Progress[]): Promise<void[]> {
    await this.dataSource.query('SELECT advance_messages($1)', [JSON.stringify(progressRows(steps))]);
    return steps.map(() => undefined);
  }

  private async insertAll(arrivals: Arrival[]): Promise<void[]> {
    const rows = JSON.stringify(arrivals.map(toRow));
    await this.dataSource.query(INSERT_SQL, [rows]);
    return arrivals.map(() => undefined);
  }
}

function toRow({ message, happened }: Arrival): object {
  const { id, tenantId, sessionId, direction, status, contact, keyId, createdAt } = message;
  const sender = message.origin?.sender ?? contact;
  return {
    ...{ id, tenant_id: tenantId, session_id: sessionId, conversation_id: conversationIdOf(message) },
    ...{ direction, status, contact, key_id: keyId, created_at: createdAt.toISOString() },
    ...{ body: message.body, origin: message.origin, media: message.media },
    persons: [contact, sender].map((address) => contactHash(tenantId, address)),
    happened: happened.toISOString(),
  };
}
