import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { MessageStatus } from '@svc/contracts';
import { LongReads } from '@svc/service';
import { type EntityManager, Repository, type SelectQueryBuilder } from 'typeorm';
import { Message } from './message.entity.js';

/** Rows looked at for one page: a filter that nothing matches must not cost the whole history. */
const MOST_SCANNED = 2_000;

/** The messages of a list; its conditions narrow each other. */
export interface MessageFilter {
  tenantId: string;
  sessionId?: string;
  /** Normalized address. */
  contact?: string;
  direction?: 'OUTBOUND' | 'INBOUND';
  status?: MessageStatus;
  /** Earliest `createdAt`, included. */
  since?: string;
  /** Latest `createdAt`, not included. */
  until?: string;
}

/** Place of a message in the list: newest first, by id among equal times. */
export type Position = Pick<Message, 'id' | 'createdAt'>;

const CONDITIONS = {
  contact: 'contact = :contact',
  sessionId: 'session_id = :sessionId',
  direction: 'direction = :direction',
  status: 'status = :status',
} as const;
/** The condition as the index has it: a plan that the server stores for every value of a parameter could not use it. */
const FAILED = `status = 'FAILED'`;
const ORDER = 'ORDER BY created_at DESC, id DESC';

/** This class lists messages: it walks along the best index for the filter, a bounded number of rows a time. */
@Injectable()
export class MessageListRepository {
  constructor(
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly reads: LongReads,
  ) {}

  /**
   * @param before position that the page begins behind
   * @returns `end`, where there are fewer than `most`: the last row looked at, if there may be more behind it.
   */
  async read(
    filter: MessageFilter,
    before: Position | undefined,
    most: number,
  ): Promise<{ rows: Message[]; end: Position | null }> {
    // The transaction shows both statements the same rows: a message that comes meanwhile would move the end, and its page would repeat
    // some.
    const { manager } = this.messages;
    return this.reads.run(filter.tenantId, () =>
      manager.transaction('REPEATABLE READ', (tx) => readFrom(tx, filter, before, most)),
    );
  }
}

async function readFrom(
  tx: EntityManager,
  filter: MessageFilter,
  before: Position | undefined,
  most: number,
): Promise<{ rows: Message[]; end: Position | null }> {
  const { walk, conditions } = statementOf(filter);
  const scan = conditions.length > 0 ? MOST_SCANNED : most;
  const rows = await select(
    tx,
    `SELECT id FROM (${walk} LIMIT :scan) walk WHERE ${conditions.join(' AND ') || 'true'} ${ORDER} LIMIT :most`,
    filter,
    before,
  )
    .setParameters({ scan, most })
    .orderBy({ 'message.created_at': 'DESC', 'message.id': 'DESC' })
    .getMany();
  if (conditions.length === 0 || rows.length === most) return { rows, end: null };
  const last = `SELECT id FROM (${walk} OFFSET :passed LIMIT 1) walk`;
  const end = await select(tx, last, filter, before)
    .select(['message.id', 'message.createdAt'])
    .setParameters({ passed: scan - 1 })
    .getOne();
  return { rows, end };
}

function select(
  tx: EntityManager,
  ids: string,
  filter: MessageFilter,
  before?: Position,
): SelectQueryBuilder<Message> {
  const { since = '-infinity', until = 'infinity' } = filter;
  // Infinity is later than every time, so any id will do beside it.
  const { createdAt: at = 'infinity', id = filter.tenantId } = before ?? {};
  return tx
    .createQueryBuilder(Message, 'message')
    .where(`message.id IN (${ids})`, { ...filter, since, until, at, id });
}

/** Writes the walk along one index, in its order; the other filters look at the rows that it meets. */
function statementOf(filter: MessageFilter): { walk: string; conditions: string[] } {
  const indexed = indexedOf(filter);
  const along = indexed === 'status' ? FAILED : indexed ? CONDITIONS[indexed] : 'true';
  const names = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
  const walk = `SELECT id, created_at, session_id, direction, status FROM message
    WHERE tenant_id = :tenantId AND ${along} AND created_at >= :since AND created_at < :until
      AND (created_at, id) < (:at, :id) ${ORDER}`;
  const conditions = names.filter((name) => filter[name] && name !== indexed).map((name) => CONDITIONS[name]);
  return { walk, conditions };
}

function indexedOf({ contact, status, sessionId }: MessageFilter): keyof typeof CONDITIONS | undefined {
  if (contact) return 'contact';
  if (status === 'FAILED') return 'status';
  return sessionId ? 'sessionId' : undefined;
}
