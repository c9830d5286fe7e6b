import { hash } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { ADDRESS_DOMAINS, type EraseContactV1, phoneOf } from '@svc/contracts';
import type { EntityManager } from 'typeorm';
import { type ContactHashKeys, keyedHash } from './contact-hash.js';
import type { RetentionRule } from './tasks/retention.js';

/** Runs statements: a transaction, or the connection itself. */
type On = Pick<EntityManager, 'query'>;

/** Time for which an erased contact is remembered: longer than the stream stores an event, which it may hand out once more. */
const REMEMBERED = '2 days';

/**
 * Table of a service that erases contacts: whom it has erased, so that what is still on its way does not bring them back, and how much of
 * what, counted in the transactions that erase. A contact is a hash under `CONTACT_HASH_KEY`, and forgotten after two days.
 */
export const ERASED_CONTACTS_SQL = `
  CREATE TABLE erased_contact (
    erasure_id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    contact bytea NOT NULL,
    before timestamptz NOT NULL,
    until timestamptz,
    counts jsonb NOT NULL DEFAULT '{}',
    place bigint NOT NULL DEFAULT 0,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX erased_contact_of_tenant ON erased_contact (tenant_id, contact);`;

/** Progress of an erasure in a service. */
export interface ErasureProgress {
  /** This service has no row of the erasure before. */
  fresh: boolean;
  counts: Record<string, number>;
  /** Place of a walk through the rows. */
  place: string;
}

const NOTE_SQL = `
  INSERT INTO erased_contact AS e (erasure_id, tenant_id, contact, before, until) VALUES ($1, $2, decode($3, 'hex'), $4, $5)
  ON CONFLICT (erasure_id) DO UPDATE SET until = coalesce(excluded.until, e.until), contact = excluded.contact
  RETURNING xmax = 0 AS fresh, counts, place`;

const COUNT_SQL = `
  UPDATE erased_contact SET place = coalesce($3::bigint, place), counts = counts || (
    SELECT coalesce(jsonb_object_agg(key, value::bigint + coalesce((counts ->> key)::bigint, 0)), '{}')
    FROM jsonb_each_text($2::jsonb))
  WHERE erasure_id = $1 RETURNING counts`;

/**
 * Spells a contact as JSON does: its address or its number. In its quotes it is one value of the document and no part of another
 * number.
 */
export function namesOf(contact: string): [address: string, phone: string] {
  return [JSON.stringify(contact), JSON.stringify(phoneOf(contact) ?? contact)];
}

/** This class remembers erased contacts as hashes under the keys of its service. */
export class ErasedContacts {
  constructor(private readonly keys: ContactHashKeys) {}

  /** Remembers an erasure from the commit on. Within a transaction it waits for another one of the same erasure, and holds up the next. */
  async note(on: On, request: EraseContactV1): Promise<ErasureProgress> {
    const { erasureId, tenantId, contact, before, until = null } = request;
    const hash = keyedHash(this.keys, plainHash(tenantId, contact)).now.toString('hex');
    const [row] = await on.query<[ErasureProgress]>(NOTE_SQL, [erasureId, tenantId, hash, before, until]);
    return row;
  }

  /**
   * Lists the hashes under which a service may remember these contacts of a tenant, as the text of a `bytea[]`: under the key of today,
   * under the one before, and without a key, as rows from before there was one have them.
   */
  hashesOf(tenantId: string, contacts: string[]): string {
    const hashes = contacts.flatMap((contact) => {
      const plain = plainHash(tenantId, contact);
      const { now, before } = keyedHash(this.keys, plain);
      return [plain, now.toString('hex'), ...(before ? [before.toString('hex')] : [])];
    });
    return `{${hashes.map((hex) => `"\\\\x${hex}"`).join(',')}}`;
  }
}

/** Makes the erased contacts of a service, under the keys of its configuration. */
export const erasedContactsProvider = (configType: new () => ContactHashKeys): Provider => ({
  provide: ErasedContacts,
  inject: [configType],
  useFactory: (keys: ContactHashKeys) => new ErasedContacts(keys),
});

/** Hashes a contact of a tenant, in hex. In one go and as text, because every event comes by here. */
function plainHash(tenantId: string, contact: string): string {
  return hash('sha256', `${tenantId}|${contact}`, 'hex');
}

/** Adds to what an erasure has erased; in the transaction that erases it. */
export async function countErased(
  tx: EntityManager,
  erasureId: string,
  counts: Record<string, number>,
  place?: string,
): Promise<Record<string, number>> {
  const parameters = [erasureId, JSON.stringify(counts), place ?? null];
  // TypeORM answers UPDATE … RETURNING with [rows, count].
  const [[row]] = await tx.query<[[{ counts: Record<string, number> }], number]>(COUNT_SQL, parameters);
  return row.counts;
}

/**
 * Makes the condition that what happened at that time belongs to an erasure. The arguments are expressions of SQL; `hashes` are those of
 * `ErasedContacts`.
 */
export function isErasedSql(of: { tenant: string; hashes: string; at: string; toThem: string }): string {
  return `EXISTS (SELECT FROM erased_contact e WHERE e.tenant_id = ${of.tenant} AND e.contact = ANY((${of.hashes})::bytea[])
    AND ${of.at} < CASE WHEN ${of.toThem} THEN coalesce(e.until, 'infinity') ELSE e.before END)`;
}

/**
 * Computes the time of an inbound message that counts: when the platform took it, to the second, or when its event was made, whichever is earlier. So what
 * was written before an erasure and arrives after it does not come back.
 */
export function timeOfInbound(occurredAt: string, timestamp: string): Date {
  return new Date(Math.min(Date.parse(occurredAt), Date.parse(timestamp) + 999));
}

/** Makes the condition that the content of a message names a contact: who wrote what it answers or reacts to, or a mention. */
export function isNamedInContentSql(content: string, contact: string): string {
  return `(${content} #>> '{quoted,participant}' = ${contact} OR ${content} #>> '{target,participant}' = ${contact}
    OR ${content} -> 'mentions' ? ${contact})`;
}

/** Makes the condition that the content of a message is the card of a contact: a card has the number, and an address may have one. */
export function isOnCardSql(content: string, contact: string): string {
  return `${content} #>> '{contact,phone}' = CASE split_part(${contact}, '@', 2)
    WHEN '${ADDRESS_DOMAINS.phone}' THEN '+' || split_part(${contact}, '@', 1) END`;
}

/** Makes the content of a message without a contact whom it names. What it reacts to is still named by its key. */
export function withoutContactSql(content: string, contact: string): string {
  return `CASE WHEN ${content} #>> '{quoted,participant}' = ${contact} THEN ${content} - 'quoted'
      WHEN ${content} #>> '{target,participant}' = ${contact} THEN ${content} #- '{target,participant}' ELSE ${content} END
    || ${withoutMentionSql(content, contact)}`;
}

/** Makes the field `mentions` of a document without a contact, as a document: an empty one where they are not mentioned. */
export function withoutMentionSql(document: string, contact: string): string {
  return `CASE WHEN ${document} -> 'mentions' ? ${contact}
    THEN jsonb_build_object('mentions', (${document} -> 'mentions') - ${contact}::text) ELSE '{}' END`;
}

/** Forgets erasures that nothing on its way can belong to any more: the stream goes by the server's clock, not by domain time. */
export const ERASED_CONTACTS_RULE: RetentionRule = {
  table: 'erased_contact',
  where: `until < statement_timestamp() - interval '${REMEMBERED}'`,
};

/** Forgets the erasures immediately. */
export async function forgetErasures(on: On): Promise<void> {
  await on.query(`DELETE FROM erased_contact WHERE ${ERASED_CONTACTS_RULE.where}`);
}
