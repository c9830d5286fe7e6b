import { Inject, Injectable } from '@nestjs/common';
import { digitsOf, type EraseContactV1, type ErasedInSessions, type MessagePlace } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import {
  countErased,
  ErasedContacts,
  isNamedInContentSql,
  isOnCardSql,
  log,
  namesOf,
  withoutContactSql,
} from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { ContactAddresses, type Addresses } from './contact-addresses.js';
import { messageIdOf } from '../journal/message-id.js';

/** Writes the SQL that finds messages of these persons; in a group the sender stands behind the group's address. */
const BY_THEM = (row: string): string =>
  `EXISTS (SELECT FROM unnest($1::uuid[], $2::text[]) AS theirs (session_id, address)
    WHERE theirs.session_id = ${row}.session_id AND theirs.address IN (${row}.sender, split_part(${row}.sender, '|', 2)))`;
const MINE = (row: string): string => `${row}.session_id IN (SELECT id FROM session WHERE tenant_id = $1)`;

const FILES_SQL = `SELECT media_id AS id FROM inbound_media m WHERE m.session_id = ANY($1::uuid[])
  AND (${BY_THEM('m')} AND m.received_at < $3 OR m.media_id = ANY($4::uuid[]))`;
const JOURNAL_SQL = `DELETE FROM inbound_message i USING unnest($1::uuid[], $2::text[]) AS theirs (session_id, address)
  WHERE i.session_id = theirs.session_id AND theirs.address IN (i.sender, split_part(i.sender, '|', 2)) AND i.received_at < $3`;
// The row of what the owner wrote to them on the phone stays, so that it is not taken twice; to whom it was written does not.
const BY_HAND_SQL = `UPDATE inbound_message i SET by_hand_to = NULL FROM unnest($1::uuid[], $2::text[]) AS theirs (session_id, address)
  WHERE i.session_id = theirs.session_id AND i.by_hand_to = theirs.address AND i.received_at < $3`;
const EARLY_VOTES_SQL = `DELETE FROM early_vote v USING unnest($1::uuid[], $2::text[]) AS theirs (session_id, address)
  WHERE v.session_id = theirs.session_id AND theirs.address IN (v.sender, split_part(v.sender, '|', 2))`;
const SENDS_SQL = `DELETE FROM outbound_message o
  WHERE ${MINE('o')} AND $2 IN (o.to_jid, o.requested_to) AND o.accepted_at < coalesce($3::timestamptz, 'infinity')`;
// A card of theirs may have been sent to somebody else; one that waits goes out, or is canceled by the gateway.
// `accounts` names persons as the platform does; whoever sends the message once more asks for them again.
const CARDS_SQL = `UPDATE outbound_message o SET content = content - 'contact' - 'accounts'
  WHERE ${MINE('o')} AND o.status NOT IN ('QUEUED', 'SENDING')
    AND ${isOnCardSql('o.content', '$2')}`;
const QUOTES_SQL = `UPDATE outbound_message o SET content = (${withoutContactSql('o.content', '$2')}) - 'accounts'
  WHERE ${MINE('o')} AND ${isNamedInContentSql('o.content', '$2')}`;
// A message may have another spelling, under which the platform found the contact.
const SPELLINGS_SQL = `SELECT DISTINCT asked.key AS name FROM outbound_message o, jsonb_each_text(o.content -> 'accounts') AS asked
  WHERE ${MINE('o')} AND asked.value = $2`;
// Messages of others in groups may quote or mention them. The platform writes a value behind its length, so an address is a whole value and
// no part of another one. Nobody reads the words again once the event is told, unless a file is still to be fetched; the byte is an empty message.
const QUOTES_IN_JOURNAL_SQL = `UPDATE inbound_message i SET plaintext = '\\x01' FROM unnest($1::uuid[], $2::text[]) AS theirs (session_id, address)
  WHERE i.session_id = theirs.session_id AND i.received_at < $3 AND position('|' IN i.sender) > 0
    AND position(decode(lpad(to_hex(length(theirs.address)), 2, '0'), 'hex') || convert_to(theirs.address, 'UTF8') IN i.plaintext) > 0
    AND NOT EXISTS (SELECT FROM inbound_media m WHERE m.session_id = i.session_id AND m.sender = i.sender AND m.key_id = i.key_id AND m.status = 'PENDING')`;
// Others may write cards with their number, to anybody; the platform names the account in a card.
const CARDS_IN_JOURNAL_SQL = `UPDATE inbound_message i SET plaintext = '\\x01'
  WHERE ${MINE('i')} AND i.received_at < $3 AND position(convert_to('waid=' || $2 || ':', 'UTF8') IN i.plaintext) > 0`;
// Quotes around the address: it is one value of the document and no part of another number.
const OUTBOX_SQL = `DELETE FROM event_outbox WHERE envelope ->> 'tenantId' = $1::text AND (strpos(envelope::text, $2) > 0 OR strpos(envelope::text, $5) > 0)
  AND (envelope ->> 'occurredAt')::timestamptz
    < CASE WHEN envelope ->> 'type' IN ('message.received', 'message.poll_vote', 'message.live_location', 'call.received') THEN $3::timestamptz ELSE coalesce($4::timestamptz, 'infinity') END`;

const NAMED_SQL = `SELECT i.session_id AS "sessionId", i.sender, i.key_id AS "keyId" FROM inbound_message i
  JOIN unnest($2::uuid[], $3::text[]) AS named (session_id, key_id) USING (session_id, key_id) WHERE ${MINE('i')}`;
const DELETE_NAMED_SQL = `DELETE FROM inbound_message i
  USING unnest($1::uuid[], $2::text[], $3::text[]) AS named (session_id, sender, key_id)
  WHERE i.session_id = named.session_id AND i.sender = named.sender AND i.key_id = named.key_id`;

/** Key of a row of the journal. */
interface JournalKey {
  sessionId: string;
  sender: string;
  keyId: string;
}

/** Erases persons: their texts and files, what was sent to them, and the events that wait for their publication. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly contacts: ContactAddresses,
    private readonly erased: ErasedContacts,
  ) {}

  /** Erases a contact. The same request again erases what is still there; the answer counts all that this erasure has erased. */
  async erase(request: EraseContactV1): Promise<ErasedInSessions> {
    // This is committed first: from here on no command to them is taken in.
    const { fresh } = await this.erased.note(this.dataSource, request);
    const { tenantId, contact, before, messages = [] } = request;
    const ids = messages.map(({ messageId }) => messageId);
    const person = await this.contacts.of(tenantId, contact);
    const files = await this.dataSource.query<{ id: string }[]>(FILES_SQL, [
      person.sessionIds,
      person.addresses,
      before,
      ids,
    ]);
    // First the files, then the rows that say which there are: what a crash leaves behind is found again.
    for (const { id } of files) await this.store.delete(id);
    const counts = await this.dataSource.transaction(async (tx) => {
      await this.erased.note(tx, request);
      const erased = await eraseNamed(tx, tenantId, messages);
      erased['files'] = await countOf(
        tx.query(
          `WITH deleted AS (DELETE FROM inbound_media WHERE media_id = ANY($1::uuid[]) RETURNING status)
          SELECT count(*) FILTER (WHERE status = 'STORED')::int AS count FROM deleted`,
          [files.map(({ id }) => id)],
        ),
      );
      // An erasure also takes what came in meanwhile, before it is done.
      if (fresh || request.until !== undefined) await eraseAll(tx, request, person, erased);
      return countErased(tx, request.erasureId, erased);
    });
    log().info({ erasureId: request.erasureId, counts }, 'a contact is erased');
    const { journal = 0, sends = 0, files: stored = 0, events = 0 } = counts;
    return { journal, sends, files: stored, events };
  }
}

async function eraseAll(
  tx: EntityManager,
  { tenantId, contact, before, until }: EraseContactV1,
  { sessionIds, addresses }: Addresses,
  erased: Record<string, number>,
): Promise<void> {
  erased['journal'] =
    (erased['journal'] ?? 0) + (await deleted(tx, JOURNAL_SQL, [sessionIds, addresses, before]));
  await tx.query(BY_HAND_SQL, [sessionIds, addresses, before]);
  await tx.query(EARLY_VOTES_SQL, [sessionIds, addresses]);
  erased['sends'] = await deleted(tx, SENDS_SQL, [tenantId, contact, until ?? null]);
  const spellings = await tx.query<{ name: string }[]>(SPELLINGS_SQL, [tenantId, contact]);
  for (const name of [contact, ...spellings.map((spelling) => spelling.name)])
    for (const sql of [CARDS_SQL, QUOTES_SQL]) await tx.query(sql, [tenantId, name]);
  await tx.query(QUOTES_IN_JOURNAL_SQL, [sessionIds, addresses, before]);
  const digits = digitsOf(contact);
  if (digits) await tx.query(CARDS_IN_JOURNAL_SQL, [tenantId, digits, before]);
  const [address, phone] = namesOf(contact);
  erased['events'] = await deleted(tx, OUTBOX_SQL, [tenantId, address, before, until ?? null, phone]);
}

/** Erases named messages. A number may be in the journal under an address that nothing tells any more: the id of the message follows from that one. */
async function eraseNamed(
  tx: EntityManager,
  tenantId: string,
  messages: MessagePlace[],
): Promise<Record<string, number>> {
  if (messages.length === 0) return {};
  const places = [messages.map(({ sessionId }) => sessionId), messages.map(({ keyId }) => keyId)];
  const rows = await tx.query<JournalKey[]>(NAMED_SQL, [tenantId, ...places]);
  const wanted = new Set(messages.map(({ messageId }) => messageId));
  const theirs = rows.filter(({ sessionId, sender, keyId }) =>
    wanted.has(messageIdOf(sessionId, sender, keyId)),
  );
  const columns = (['sessionId', 'sender', 'keyId'] as const).map((name) => theirs.map((row) => row[name]));
  return { journal: await deleted(tx, DELETE_NAMED_SQL, columns) };
}

async function deleted(tx: EntityManager, sql: string, parameters: unknown[]): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(sql, parameters);
  return count;
}

async function countOf(query: Promise<{ count: number }[]>): Promise<number> {
  const [row] = await query;
  return row?.count ?? 0;
}
