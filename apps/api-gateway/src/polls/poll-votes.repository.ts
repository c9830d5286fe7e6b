import { Injectable } from '@nestjs/common';
import type { MessagePollVoteV1 } from '@svc/contracts';
import { ErasedContacts, isErasedSql } from '@svc/service';
import { DataSource } from 'typeorm';

/** Last vote of a voter. */
export interface PollVote {
  voter: string;
  options: string[];
  unknownOptions: number;
  unreadable: boolean;
  votedAt: Date;
}

/** Most votes of an answer: a group has 1,024 members. */
const MOST_VOTES = 2_000;

// Events may come more than once, and in another order than the votes were given in. Nothing is written of a contact who was erased since.
const KEEP_SQL = `INSERT INTO poll_vote AS v
    (poll_id, voter, tenant_id, hidden, chat, options, unknown_options, unreadable, voted_at, happened_at)
  SELECT $1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::jsonb, $7::int, $8::boolean, $9::timestamptz, $10::timestamptz
  WHERE NOT ${isErasedSql({ tenant: '$3::uuid', hashes: '$11', at: '$10::timestamptz', toThem: 'false' })}
  ON CONFLICT (poll_id, voter) DO UPDATE SET hidden = coalesce(excluded.hidden, v.hidden), chat = excluded.chat,
    options = excluded.options, unknown_options = excluded.unknown_options, unreadable = excluded.unreadable,
    voted_at = excluded.voted_at, happened_at = excluded.happened_at
  WHERE v.voted_at <= excluded.voted_at`;

// A person whose number became known has voted under both addresses: the later vote is theirs.
const OF_SQL = `SELECT voter, options, unknown_options AS "unknownOptions", unreadable, voted_at AS "votedAt" FROM (
    SELECT DISTINCT ON (coalesce(hidden, voter)) * FROM poll_vote WHERE poll_id = $1 AND tenant_id = $2
    ORDER BY coalesce(hidden, voter), voted_at DESC) last
  ORDER BY voted_at, voter LIMIT ${MOST_VOTES}`;

/** This repository keeps the last vote of each voter in a poll. */
@Injectable()
export class PollVotesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly erased: ErasedContacts,
  ) {}

  /**
   * Keeps a vote, unless a later one of the same voter is there.
   * @param happened when, as erasures look at it.
   */
  async keep(tenantId: string, vote: MessagePollVoteV1, happened: Date): Promise<void> {
    const { pollId, remoteJid, hiddenJid = null, chatId, options, votedAt } = vote;
    await this.dataSource.query(KEEP_SQL, [
      ...[pollId, remoteJid, tenantId, hiddenJid, chatId, JSON.stringify(options)],
      ...[vote.unknownOptions ?? 0, vote.unreadable ?? false, votedAt, happened],
      this.erased.hashesOf(tenantId, [...new Set([remoteJid, chatId, vote.pollAuthor])]),
    ]);
  }

  /** Lists the last vote of each voter in a poll, in the order in which they were given. */
  of(tenantId: string, pollId: string): Promise<PollVote[]> {
    return this.dataSource.query<PollVote[]>(OF_SQL, [pollId, tenantId]);
  }
}
