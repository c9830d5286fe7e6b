import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import type { Envelope } from '@svc/contracts';
import { columns, GroupCommit } from '@svc/database';
import { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from '@svc/ownership';
import { OutboxService, outboxRows } from '@svc/service';
import { DataSource } from 'typeorm';
import type { InboundRecord } from '../platform/messages.js';
import { atStep } from '../steps.js';

/** Messages of one statement stay far below what the driver and the server take. */
const BATCH = 64;

/** Changes of one transaction of the platform, sealed, with the messages that it journals. */
export interface KeyCommit {
  sessionId: string;
  fence: Fence;
  puts: { type: string; keyId: string; sealed: Buffer }[];
  deletes: { type: string; keyId: string }[];
  /** `at`: when it came; `awaitsFile`: the event waits for the file of its message. */
  inbound: { record: InboundRecord; at: Date; event: Envelope | undefined; awaitsFile: boolean }[];
}

// The column `n` is the number of the commit that a part belongs to.
const COMMITS = columns({ session_id: 'uuid', partition: 'int', epoch: 'int' }, 3); // after the fence
const PUTS = columns({ n: 'int', type: 'text', key_id: 'text', sealed: 'bytea' }, COMMITS.next);
const DELETES = columns({ n: 'int', type: 'text', key_id: 'text' }, PUTS.next);
const MESSAGES = columns(
  {
    ...{ n: 'int', sender: 'text', key_id: 'text', plaintext: 'bytea', deletes: 'text' },
    ...{ by_hand_to: 'text', by_hand_at: 'timestamptz' },
  },
  DELETES.next,
);
const EVENTS = columns(
  {
    ...{ n: 'int', sender: 'text', key_id: 'text', id: 'uuid', envelope: 'jsonb' },
    ...{ awaits_file: 'bool', partition: 'int' },
  },
  MESSAGES.next,
);

/**
 * Keys, journal and outbox are written in one statement, one round trip and one transaction, under the lease. A message that the session
 * itself sent has its events from its receipts, however it comes back: its row is there before it goes out.
 */
const COMMIT_SQL = `WITH ${FENCE_SQL},
  leased AS (SELECT c.n::int AS n, c.session_id
    FROM ${COMMITS.unnest('c', 'n')}
    JOIN fence USING (partition, epoch)),
  put AS (INSERT INTO signal_key (session_id, type, key_id, sealed)
    SELECT session_id, k.type, k.key_id, k.sealed
    FROM ${PUTS.unnest('k')} JOIN leased USING (n)
    ON CONFLICT (session_id, type, key_id) DO UPDATE SET sealed = excluded.sealed),
  deleted AS (DELETE FROM signal_key s USING leased, ${DELETES.unnest('d')}
    WHERE d.n = leased.n AND s.session_id = leased.session_id AND s.type = d.type AND s.key_id = d.key_id),
  journaled AS (INSERT INTO inbound_message (session_id, sender, key_id, plaintext, deletes, by_hand_to, by_hand_at)
    SELECT session_id, m.sender, m.key_id, m.plaintext, m.deletes, CASE WHEN NOT EXISTS (SELECT FROM outbound_message o
      WHERE o.session_id = leased.session_id AND o.key_id = m.key_id) THEN m.by_hand_to END, m.by_hand_at
    FROM ${MESSAGES.unnest('m')} JOIN leased USING (n)
    ON CONFLICT DO NOTHING RETURNING session_id, sender, key_id),
  fresh AS (SELECT e.*, session_id
    FROM ${EVENTS.unnest('e')} JOIN leased USING (n) JOIN journaled USING (session_id, sender, key_id)
    WHERE e.envelope #>> '{data,fromMe}' = 'false' OR NOT EXISTS (SELECT FROM outbound_message o
      WHERE o.session_id = leased.session_id AND o.key_id = e.key_id)),
  published AS (INSERT INTO event_outbox (id, envelope) SELECT id, envelope FROM fresh WHERE NOT awaits_file RETURNING id),
  awaited AS (INSERT INTO inbound_media (media_id, session_id, partition, sender, key_id, envelope)
    SELECT id, session_id, partition, sender, key_id, envelope FROM fresh WHERE awaits_file)
  SELECT (SELECT array_agg(n) FROM leased) AS leased, (SELECT array_agg(id) FROM published) AS events`;

const TELL_SQL = `WITH ${FENCE_SQL},
  told AS (INSERT INTO event_outbox (id, envelope) SELECT $3::uuid, $4::jsonb FROM fence ON CONFLICT DO NOTHING)
  SELECT 1 FROM fence`;

/** Writes keys and journal of all sessions of this process, many sessions in one transaction. */
@Injectable()
export class KeyWriter {
  private readonly commits = new GroupCommit<KeyCommit, boolean>({
    most: BATCH,
    write: (commits) => this.write(commits),
    apart: ({ sessionId }) => sessionId,
  });

  /** Emitter of a signal for each journaled message that waits for its file. */
  readonly events = new EventEmitter<{ fileAwaited: [] }>();

  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Writes a change; resolves when it is committed.
   * @throws LeaseLostError
   */
  async commit(change: KeyCommit): Promise<void> {
    const { sessionId, fence } = change;
    const write = this.commits.add(change);
    const before = this.underWay.get(sessionId);
    const all = Promise.allSettled([before, write]).then(() => {
      if (this.underWay.get(sessionId) === all) this.underWay.delete(sessionId);
    });
    this.underWay.set(sessionId, all);
    if (!(await write)) throw new LeaseLostError(fence.partition);
  }

  /**
   * Writes an event that comes with no message; the same one again changes nothing.
   * @throws LeaseLostError
   */
  async tell(fence: Fence, event: Envelope): Promise<void> {
    const { ids, envelopes } = outboxRows([event]);
    const rows = await this.dataSource.query<unknown[]>(TELL_SQL, [
      ...fenceParameters([fence]),
      ids[0],
      envelopes[0],
    ]);
    if (rows.length === 0) throw new LeaseLostError(fence.partition);
    this.outbox.publish([event]);
  }

  /** Resolves when nothing is being written for the session: also what a former socket, or runner, of it began. */
  async idle(sessionId: string): Promise<void> {
    await this.underWay.get(sessionId);
  }

  /** Says of each change whether its lease held. */
  private async write(commits: KeyCommit[]): Promise<boolean[]> {
    const puts = numbered(commits, (commit) => commit.puts);
    const deletes = numbered(commits, (commit) => commit.deletes);
    const inbound = numbered(commits, (commit) => commit.inbound);
    const events = inbound.flatMap(({ event, ...one }) => (event ? [{ ...one, event }] : []));
    const { ids, envelopes } = outboxRows(events.map(({ event }) => event));
    atStep(inbound.length > 0 ? 'in-2' : 'out-4');
    const [row] = await this.dataSource.query<{ leased: number[] | null; events: string[] | null }[]>(
      COMMIT_SQL,
      [
        ...fenceParameters(commits.map(({ fence }) => fence)),
        ...COMMITS.arrays(commits, {
          session_id: ({ sessionId }) => sessionId,
          partition: ({ fence }) => fence.partition,
          epoch: ({ fence }) => fence.epoch,
        }),
        ...PUTS.arrays(puts, { n, type, key_id: ({ keyId }) => keyId, sealed: ({ sealed }) => sealed }),
        ...DELETES.arrays(deletes, { n, type, key_id: ({ keyId }) => keyId }),
        ...MESSAGES.arrays(inbound, {
          ...{ n, sender, key_id: messageId },
          plaintext: ({ record }) => Buffer.from(record.plaintext),
          deletes: ({ record }) => deletedBy(record),
          by_hand_to: ({ record }) => writtenTo(record),
          by_hand_at: ({ at }) => at.toISOString(),
        }),
        ...EVENTS.arrays(events, {
          ...{ n, sender, key_id: messageId },
          id: (_, at) => ids[at],
          envelope: (_, at) => envelopes[at],
          awaits_file: ({ awaitsFile }) => awaitsFile,
          partition: (event) => commits[event.n - 1]?.fence.partition,
        }),
      ],
    );
    atStep(inbound.length > 0 ? 'in-3' : 'out-5');
    if (events.some(({ awaitsFile }) => awaitsFile)) this.events.emit('fileAwaited');
    const published = new Set(row?.events);
    this.outbox.publish(events.flatMap(({ event }) => (published.has(event.id) ? [event] : [])));
    const written = new Set(row?.leased);
    return commits.map((_, at) => written.has(at + 1));
  }
}

/** Lists the parts of all commits, each with the number of its commit, from 1 as the database counts. */
function numbered<T>(commits: KeyCommit[], partsOf: (commit: KeyCommit) => T[]): (T & { n: number })[] {
  return commits.flatMap((commit, at) => partsOf(commit).map((part) => ({ ...part, n: at + 1 })));
}

/** Names the message that the owner of the number deletes with this one. */
function deletedBy({ fromMe, content }: InboundRecord): string | null {
  return fromMe && content?.change?.kind === 'REVOKED' ? content.change.keyId : null;
}

/** Names the chat to which the owner of the number has written by hand; a change of an earlier message is none of its own. */
function writtenTo({ fromMe, chat, content }: InboundRecord): string | null {
  return fromMe && content && !content.change ? chat : null;
}

const n = (part: { n: number }): number => part.n;
const type = (key: { type: string }): string => key.type;
const sender = ({ record }: { record: InboundRecord }): string => record.sender;
const messageId = ({ record }: { record: InboundRecord }): string => record.keyId;
