import type { OnApplicationShutdown, OnModuleInit, Provider } from '@nestjs/common';
import { AppError, type Envelope, type EventContract } from '@svc/contracts';
import { storable } from '@svc/database';
import { envelopeOf, Messaging } from '@svc/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { log } from './logging/logger.js';
import { PeriodicTasks } from './tasks/periodic-tasks.js';
import { UnderWay } from './tasks/under-way.js';
import { ToldEvents } from './told-events.js';

const SWEEP_MS = 500;
/** Time between two looks at what the readers have read: after some of them, and before it is stale, a row is gone or marked. */
const LOOK_MS = 500;
/** A row this old was not published by the process that wrote it. */
const STALE = '3 seconds';
const SWEEP_BATCH = 200;
/** The row stays for an operator, and no sweep finds it any more. */
const SET_ASIDE_SQL = `UPDATE event_outbox SET created_at = 'infinity' WHERE id = ANY($1::uuid[])`;
/** The row is published by this process, from now on. */
const PUBLISHED_SQL = `UPDATE event_outbox SET created_at = clock_timestamp() WHERE id = ANY($1::uuid[])`;
const STALE_ROWS = `SELECT id, envelope FROM event_outbox
  WHERE stream IS NULL AND created_at < statement_timestamp() - interval '${STALE}'`;

/** Rows of `event_outbox` for a statement: `SELECT … FROM unnest($n::uuid[], $m::jsonb[])`. */
export interface OutboxRows {
  ids: string[];
  envelopes: string[];
}

/**
 * Makes an event of a tenant; its row is written in the transaction of the change that it describes. What a stranger wrote is washed here,
 * once, of what no row keeps.
 */
export function eventOf<T extends object>(
  contract: EventContract<T>,
  tenantId: string,
  data: T,
  id?: string,
): Envelope {
  return envelopeOf(contract, { tenantId, ...(id ? { id } : {}) }, storable(data));
}

/** Makes the arrays of the rows for `unnest`. */
export function outboxRows(envelopes: Envelope[]): OutboxRows {
  return { ids: envelopes.map((one) => one.id), envelopes: envelopes.map((one) => JSON.stringify(one)) };
}

/** Writes events into the outbox within the caller's transaction. */
export async function insertEvents(tx: EntityManager, events: Envelope[]): Promise<void> {
  if (events.length === 0) return;
  const { ids, envelopes } = outboxRows(events);
  await tx.query(
    `INSERT INTO event_outbox (id, envelope) SELECT * FROM unnest($1::uuid[], $2::jsonb[]) ON CONFLICT DO NOTHING`,
    [ids, envelopes],
  );
}

/**
 * Publishes events whose rows are committed, and deletes the rows once every app has read them (told-events.ts). What a crash or an outage
 * left behind is swept by any process of the service. Its schema has the table `event_outbox`: `id uuid` (of the event),
 * `seq` (identity), `envelope jsonb`, `created_at` (of the server's clock), and the columns of `TOLD_EVENTS_SQL`.
 */
export class OutboxService implements OnModuleInit, OnApplicationShutdown {
  private readonly told: ToldEvents;
  private readonly underWay = new UnderWay();

  /** @param onPublished JetStream has the event, its row is there yet. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly messaging: Messaging,
    tasks: PeriodicTasks,
    private readonly onPublished: (envelope: Envelope) => void = () => undefined,
  ) {
    this.told = new ToldEvents(dataSource, messaging);
    tasks.add('outbox sweeper', SWEEP_MS, () => this.sweep());
    tasks.add('look at the readers of events', LOOK_MS, () => this.told.look());
  }

  /** Learns which stream there is before anything is published; Nest calls it. */
  async onModuleInit(): Promise<void> {
    await this.look();
  }

  /**
   * Stops; Nest calls it when the publishers have stopped, and before the connections are closed: it goes from what depends to what is
   * depended on. Resolves when what `publish` was given is published, or left to the sweeper of another process.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.underWay.settled();
    // This process has no later look: what is unread is marked at once.
    await this.look(0);
  }

  /** Publishes events after the commit. It returns at once: a failure leaves the row to the sweeper. */
  publish(envelopes: Envelope[]): void {
    for (const envelope of envelopes) {
      const work = this.tell(envelope).then(() => this.onPublished(envelope));
      this.underWay
        .add(work)
        .catch((error: unknown) =>
          log().warn({ event: envelope.type, err: error }, 'event stays in the outbox'),
        );
    }
  }

  private async look(markedAfterMs?: number): Promise<void> {
    await this.told.look(markedAfterMs).catch((error: unknown) => {
      log().warn({ err: error }, 'nobody knows what is read: a sweeper may publish events once more');
    });
  }

  private async tell(envelope: Envelope): Promise<void> {
    this.told.add(envelope.id, await this.messaging.publishEvent(envelope));
  }

  private async sweep(): Promise<void> {
    const [stale] = await this.dataSource.query<{ found: boolean }[]>(
      `SELECT EXISTS (${STALE_ROWS}) AS found`,
    );
    if (!stale?.found) return;
    await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<{ id: string; envelope: Envelope }[]>(
        `${STALE_ROWS} ORDER BY seq LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
      );
      if (rows.length === 0) return;
      // Started in order, and each on its own: one that NATS does not take holds up none behind it.
      const outcomes = await Promise.allSettled(rows.map(({ envelope }) => this.tell(envelope)));
      const out = rows.filter((_, n) => outcomes[n]?.status === 'fulfilled').map(({ id }) => id);
      await tx.query(PUBLISHED_SQL, [out]);
      const aside = rows.filter((_, n) => isTooLarge(outcomes[n]));
      for (const { id, envelope } of aside)
        log().error(
          { id, event: envelope.type, tenantId: envelope.tenantId },
          'event is too large for NATS: set aside',
        );
      await tx.query(SET_ASIDE_SQL, [aside.map(({ id }) => id)]);
      log().info({ rows: out.length, left: rows.length - out.length }, 'outbox swept');
    });
  }
}

function isTooLarge(outcome: PromiseSettledResult<void> | undefined): boolean {
  return (
    outcome?.status === 'rejected' &&
    outcome.reason instanceof AppError &&
    outcome.reason.code === 'PAYLOAD_TOO_LARGE'
  );
}

/** The outbox of a service that need not know when an event is out. */
export const outboxProvider: Provider = {
  provide: OutboxService,
  inject: [DataSource, Messaging, PeriodicTasks],
  useFactory: (dataSource: DataSource, messaging: Messaging, tasks: PeriodicTasks) =>
    new OutboxService(dataSource, messaging, tasks),
};
