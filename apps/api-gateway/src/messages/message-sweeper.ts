import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Messaging } from '@svc/messaging';
import { PeriodicTask } from '@svc/service';
import { DataSource, In, Repository } from 'typeorm';
import { InjectRepository } from '@nestjs/typeorm';
import { Message } from './message.entity.js';
import { SendPublisher } from './send-publisher.js';

const INTERVAL_MS = 500;
const BATCH = 100;
/** Spacing after each publication that brought no event: a session that is offline for days is not flooded. */
const SPACING_S = [10, 30, 120, 600] as const;
const RETRY_S = 1;

// Real time. The claim moves the row out of the way of the other replicas for as long as publishing may take.
const CLAIM_SQL = `UPDATE message SET next_publish_at = clock_timestamp() + interval '30 seconds'
  WHERE id IN (
    SELECT id FROM message WHERE status = 'QUEUED' AND next_publish_at <= clock_timestamp()
    ORDER BY next_publish_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING id`;

const DONE_SQL = `UPDATE message m SET publish_attempts = m.publish_attempts + done.taken::int,
    next_publish_at = clock_timestamp() + done.spacing * interval '1 second'
  FROM unnest($1::uuid[], $2::boolean[], $3::int[]) AS done (id, taken, spacing)
  WHERE m.id = done.id AND m.status = 'QUEUED'`;

/** A row that was published again, or was not taken. */
interface Done {
  row: Message;
  taken: boolean;
}

/**
 * The message row is the outbox: publishes again what is still QUEUED, e.g. because NATS was away or was wiped; the
 * messages of a session in the order in which they were accepted.
 */
@Injectable()
export class MessageSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task = new PeriodicTask('message-sweeper', INTERVAL_MS, () => this.sweep());

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    private readonly publisher: SendPublisher,
    private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  private async sweep(): Promise<void> {
    // Each row would wait for its own time-out: without NATS there is nothing to do.
    if (!this.messaging.isConnected()) return;
    const [claimed] = await this.dataSource.query<[{ id: string }[], number]>(CLAIM_SQL);
    if (claimed.length === 0) return;
    const rows = await this.messages.find({
      where: { id: In(claimed.map(({ id }) => id)) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
    const done = await Promise.all(
      sessions.map((id) => this.publishInOrder(rows.filter(({ sessionId }) => sessionId === id))),
    );
    await this.note(done.flat());
  }

  /** What follows a message that could not be published waits with it: it must not overtake. */
  private async publishInOrder(rows: Message[]): Promise<Done[]> {
    const done: Done[] = [];
    let taken = true;
    for (const row of rows) {
      taken &&= await this.publisher.publish(row);
      done.push({ row, taken });
    }
    return done;
  }

  private async note(done: Done[]): Promise<void> {
    const last = SPACING_S[SPACING_S.length - 1];
    const spacing = done.map(({ row, taken }) =>
      taken ? (SPACING_S[row.publishAttempts] ?? last) : RETRY_S,
    );
    const [ids, taken] = [done.map(({ row }) => row.id), done.map((one) => one.taken)];
    await this.dataSource.query(DONE_SQL, [ids, taken, spacing]);
  }
}
