import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@svc/database';
import { DataSource } from 'typeorm';
import type { Person } from '../contacts/contact.repository.js';
import { OptOut } from './opt-out.entity.js';

/** Most contacts of one statement. */
const MOST = 128;
/** Time for which a send waits for a database that is away: the sender gets an error, and tries again. */
const PATIENCE_MS = 1_000;

// A contact is known under each spelling of the number: whoever has opted out under one gets nothing under another.
const ASKED_SQL = `SELECT EXISTS (SELECT FROM opt_out o WHERE o.tenant_id = asked.tenant_id AND o.is_out AND o.contact IN (
      SELECT asked.contact
      UNION ALL SELECT a.contact FROM contact_alias a WHERE a.tenant_id = asked.tenant_id AND a.alias = asked.contact
      UNION ALL SELECT a.alias FROM contact_alias a WHERE a.tenant_id = asked.tenant_id AND a.contact = asked.contact
    )) AS "isOut"
  FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (tenant_id, contact, place) ORDER BY place`;

const NOTE_SQL = `INSERT INTO opt_out AS o (tenant_id, contact, is_out, changed_at) VALUES ($1, $2, $3, date_trunc('milliseconds', clock_timestamp()))
  ON CONFLICT (tenant_id, contact) DO UPDATE SET is_out = $3, word = NULL, session_id = NULL, changed_at = excluded.changed_at
  WHERE o.is_out <> $3 RETURNING contact`;

/** The place of a contact in the list. */
export type OptOutPlace = Pick<OptOut, 'changedAt' | 'contact'>;

/** This class reads and writes who has opted out; who does so by a word is written with the message. */
@Injectable()
export class OptOutsRepository {
  private readonly questions = new GroupCommit<Person, boolean>({
    most: MOST,
    patienceMs: PATIENCE_MS,
    write: (persons) => this.askAll(persons),
  });

  constructor(private readonly dataSource: DataSource) {}

  /** Says whether a contact has opted out; contacts that are asked about at the same time are looked up together. */
  isOut(person: Person): Promise<boolean> {
    return this.questions.add(person);
  }

  /** Notes that a contact has opted out, or in again. @returns whether that is new */
  async note({ tenantId, contact }: Person, isOut: boolean): Promise<boolean> {
    return (await this.dataSource.query<object[]>(NOTE_SQL, [tenantId, contact, isOut])).length > 0;
  }

  /** Finds one who has opted out. */
  find({ tenantId, contact }: Person): Promise<OptOut | null> {
    return this.dataSource.getRepository(OptOut).findOneBy({ tenantId, contact, isOut: true });
  }

  /** Lists those who have opted out, the last one first. */
  list(tenantId: string, last: OptOutPlace | undefined, limit: number): Promise<OptOut[]> {
    const query = this.dataSource
      .createQueryBuilder(OptOut, 'o')
      .where('o.tenant_id = :tenantId AND o.is_out', { tenantId });
    if (last) query.andWhere('(o.changed_at, o.contact) < (:changedAt, :contact)', last);
    return query.orderBy({ 'o.changed_at': 'DESC', 'o.contact': 'DESC' }).take(limit).getMany();
  }

  private async askAll(persons: Person[]): Promise<boolean[]> {
    const rows = await this.dataSource.query<{ isOut: boolean }[]>(ASKED_SQL, [
      persons.map(({ tenantId }) => tenantId),
      persons.map(({ contact }) => contact),
    ]);
    return rows.map(({ isOut }) => isOut);
  }
}
