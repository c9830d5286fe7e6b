import { Injectable } from '@nestjs/common';
import { ADDRESS_DOMAINS, type BoundedCount } from '@svc/contracts';
import { isNamedInContentSql, isOnCardSql, LongReads } from '@svc/service';
import { DataSource } from 'typeorm';
import { Message } from '../messages/message.entity.js';

/** A person on the other side, of one tenant. */
export interface Person {
  tenantId: string;
  /** Normalized address. */
  contact: string;
}

/** Highest number that `BoundedCount` counts to. */
const COUNT_UP_TO = 10_000;
/** Messages of one piece of the way through all of them. */
const PIECE = 200;
/** Messages that are looked through for a name. */
const NAMED = 200;
const CONVERSATIONS = 200;

/** Conditions on the messages of a person: there are two, and each walks along an index of its own. */
export const WITH = 'm.tenant_id = $1 AND m.contact = $2';
const IN_GROUP = `m.contact LIKE '%@${ADDRESS_DOMAINS.group}'`;
/** Condition on the messages that a person wrote in a group. */
export const WRITTEN_IN_GROUP = `m.tenant_id = $1 AND m.origin ->> 'sender' = $2 AND ${IN_GROUP}`;
/** The third: somebody quoted or named them in a group, or reacted to what they wrote there. */
export const QUOTED_IN_GROUP = `m.tenant_id = $1 AND ${IN_GROUP} AND (
  origin #>> '{quoted,remoteJid}' = $2 OR origin -> 'mentions' ? $2 OR ${isNamedInContentSql('content', '$2')})`;

/** The fourth: a card with their number was sent to somebody else. */
export const ON_CARD = `m.tenant_id = $1 AND ${isOnCardSql('m.content', '$2')}`;

const count = (which: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM message m WHERE ${which} LIMIT ${COUNT_UP_TO + 1}) seen)`;
const edges = (which: string): string => `
  (SELECT created_at FROM message m WHERE ${which} ORDER BY created_at LIMIT 1)
  UNION ALL (SELECT created_at FROM message m WHERE ${which} ORDER BY created_at DESC LIMIT 1)`;
const names = (which: string): string =>
  `(SELECT origin ->> 'pushName' AS name, created_at FROM (SELECT origin, created_at, direction FROM message m
    WHERE ${which} ORDER BY created_at DESC, id DESC LIMIT ${NAMED}) newest
    WHERE direction = 'INBOUND' AND origin ->> 'pushName' IS NOT NULL ORDER BY created_at DESC LIMIT 1)`;

const FACTS_SQL = `
  SELECT min(created_at) AS first, max(created_at) AS last,
    ${count(`${WITH} AND m.direction = 'INBOUND'`)} AS direct, ${count(WRITTEN_IN_GROUP)} AS groups,
    ${count(`${WITH} AND m.direction = 'OUTBOUND'`)} AS sent,
    (SELECT name FROM (${names(WITH)} UNION ALL ${names(WRITTEN_IN_GROUP)}) named ORDER BY created_at DESC LIMIT 1) AS name,
    ARRAY(SELECT id FROM conversation WHERE tenant_id = $1 AND contact = $2 ORDER BY place DESC LIMIT ${CONVERSATIONS}) AS conversations
  FROM (${edges(WITH)} UNION ALL ${edges(WRITTEN_IN_GROUP)}) edge`;

/** Facts about a person that the messages contain. */
export interface ContactFacts {
  first: Date | null;
  last: Date | null;
  direct: number;
  groups: number;
  sent: number;
  name: string | null;
  conversations: string[];
}

/** This class reads what has to do with a person. */
@Injectable()
export class ContactRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reads: LongReads,
  ) {}

  async factsOf({ tenantId, contact }: Person): Promise<ContactFacts> {
    const [row] = await this.reads.run(tenantId, () =>
      this.dataSource.query<[ContactFacts]>(FACTS_SQL, [tenantId, contact]),
    );
    return row;
  }

  /** Finds when somebody quoted or named the person in a group, or was sent their card: one such time, null where nobody was. Looks through all groups. */
  async quotedAt({ tenantId, contact }: Person): Promise<Date | null> {
    const sql = `(SELECT created_at AS at FROM message m WHERE ${ON_CARD} LIMIT 1)
      UNION ALL (SELECT created_at AS at FROM message m WHERE ${QUOTED_IN_GROUP} LIMIT 1) LIMIT 1`;
    const [row] = await this.reads.run(tenantId, () =>
      this.dataSource.query<{ at: Date }[]>(sql, [tenantId, contact]),
    );
    return row?.at ?? null;
  }

  /** Reads every message that has to do with the person, piece by piece: those with the person, newest first, then those in groups. */
  async *messagesOf(person: Person): AsyncGenerator<Message[]> {
    yield* this.walk(person, WITH);
    yield* this.walk(person, WRITTEN_IN_GROUP);
  }

  private async *walk({ tenantId, contact }: Person, which: string): AsyncGenerator<Message[]> {
    let last: Pick<Message, 'createdAt' | 'id'> | undefined;
    const sql = `SELECT id FROM message m WHERE ${which} AND (m.created_at, m.id) < ($3, $4)
      ORDER BY m.created_at DESC, m.id DESC LIMIT ${PIECE}`;
    let ids: { id: string }[];
    do {
      const from = [last?.createdAt ?? 'infinity', last?.id ?? tenantId];
      // Not one place for all pieces: how fast they are read is the reader's business.
      ids = await this.reads.run(tenantId, () =>
        this.dataSource.query<{ id: string }[]>(sql, [tenantId, contact, ...from]),
      );
      const rows = await this.dataSource
        .createQueryBuilder(Message, 'message')
        .whereInIds(ids.map(({ id }) => id))
        .orderBy({ 'message.created_at': 'DESC', 'message.id': 'DESC' })
        .getMany();
      yield rows;
      last = rows.at(-1);
    } while (ids.length === PIECE && last);
  }
}

/** Describes a count that was made up to its bound. */
export function bounded(count: number): BoundedCount {
  return { count: Math.min(count, COUNT_UP_TO), more: count > COUNT_UP_TO };
}
