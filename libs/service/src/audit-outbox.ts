import { setTimeout as delay } from 'node:timers/promises';
import type { Provider } from '@nestjs/common';
import { AppendAuditFacts, AuditFact, MOST_AUDIT_FACTS, parseData } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { crashSteps } from './crash-steps.js';
import { log } from './logging/logger.js';
import { PeriodicTasks } from './tasks/periodic-tasks.js';
import { UnderWay } from './tasks/under-way.js';

/** Name of the channel that publishes the steps of a fact, of every service that has an audit outbox. */
export const AUDIT_STEPS_CHANNEL = 'audit-outbox.step';

/** Steps on the way of a fact; docs/architecture.md says what has been done at each. */
export type AuditStep = `audit-${1 | 2}`;

const atStep = crashSteps<AuditStep>(AUDIT_STEPS_CHANNEL);

/** Longest wait of a caller for the line of its change in the chain, in ms. */
const PATIENCE_MS = 1_000;
const SWEEP_MS = 500;
/** A fact that the chain refuses is tried again after this time; the ones behind it go ahead. */
const REFUSED = '1 minute';
/** A sweeper that hangs is cut off: the advisory lock is another process's then. */
const HUNG = '15s';
/** Names the advisory locks of sweepers, one per schema. */
const SWEEP_LOCK = 0x5c_41;

const INSERT_SQL = `INSERT INTO audit_outbox (id, tenant_id, fact)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::jsonb[])`;
const DELETE_SQL = 'DELETE FROM audit_outbox WHERE id = ANY($1::uuid[])';
const DUE_SQL = 'SELECT id, fact FROM audit_outbox WHERE due_at <= statement_timestamp()';
const POSTPONE_SQL = `UPDATE audit_outbox SET due_at = clock_timestamp() + interval '${REFUSED}' WHERE id = ANY($1::uuid[])`;
const LOCK_SQL = `SELECT pg_try_advisory_xact_lock(${SWEEP_LOCK}, hashtext(current_schema())) AS mine`;

/** The table of an audit outbox, for the migration of the service that owns it. */
export const AUDIT_OUTBOX_SQL = `
  CREATE TABLE audit_outbox (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id uuid NOT NULL,
    fact jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Until then it is the business of the process that wrote it.
    due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '3 seconds'
  );
  CREATE INDEX audit_outbox_due ON audit_outbox (due_at);`;

/** A fact before it has an id. */
export interface NewAuditFact extends Omit<AuditFact, 'id' | 'at' | 'details'> {
  id?: string;
  at: Date;
  details?: Record<string, unknown>;
}

/** Makes a fact, under an id of its own unless one is given. */
export function auditFactOf({ id = uuidv7(), at, details = {}, ...fact }: NewAuditFact): AuditFact {
  return { id, at: at.toISOString(), details, ...fact };
}

/**
 * Writes facts into the audit outbox within the transaction of the change.
 * @throws AppError `VALIDATION_FAILED`: a fact that no chain takes undoes its change, instead of waiting for ever.
 */
export async function insertAuditFacts(tx: EntityManager, facts: AuditFact[]): Promise<void> {
  if (facts.length === 0) return;
  for (const fact of facts) parseData(AuditFact, fact);
  await tx.query(INSERT_SQL, [
    facts.map(({ id }) => id),
    facts.map(({ tenantId }) => tenantId),
    facts.map((fact) => JSON.stringify(fact)),
  ]);
}

/**
 * Delivers the audit facts of a service to the chain, which the gateway owns. The row of a fact is written in the transaction of the
 * change and deleted once the gateway says that the line is in the chain: a crash, a gateway or a NATS that is away, even a NATS that has lost
 * its storage, delay a line and lose none. The line has the id of the fact, so that a second delivery writes nothing.
 */
export class AuditOutbox {
  private readonly underWay = new UnderWay();

  constructor(
    private readonly dataSource: DataSource,
    private readonly rpc: RpcClient,
    tasks: PeriodicTasks,
  ) {
    tasks.add('audit outbox sweeper', SWEEP_MS, () => this.sweep());
  }

  /** Ends the deliveries; Nest calls it before the database is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.underWay.settled();
  }

  /**
   * Delivers facts whose rows are committed. Resolves when they are in the chain, or after a second: what is not there by then the
   * sweeper delivers. Never rejects.
   */
  async deliver(facts: AuditFact[]): Promise<void> {
    if (facts.length === 0) return;
    atStep('audit-1');
    const appended = this.append(facts).catch((error: unknown): string[] => {
      log().warn({ err: error, facts: facts.length }, 'audit facts wait for the sweeper');
      return [];
    });
    void this.underWay.add(appended.then((ids) => this.delete(ids)));
    const limit = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([appended, late]);
    limit.abort();
  }

  /** @returns ids of the facts that are in the chain. */
  private async append(facts: AuditFact[]): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < facts.length; n += MOST_AUDIT_FACTS) {
      const request = { facts: facts.slice(n, n + MOST_AUDIT_FACTS) };
      ids.push(...(await this.rpc.request(AppendAuditFacts, request)).ids);
    }
    atStep('audit-2');
    return ids;
  }

  private async delete(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.dataSource.query(DELETE_SQL, [ids]).catch((error: unknown) => {
      // The sweeper delivers them once more, and the chain knows their ids.
      log().warn({ err: error, rows: ids.length }, 'delivered audit facts stay in the outbox');
    });
  }

  /** Delivers what is left, oldest first, in one process of the service at a time: the order of a tenant's lines is that of its rows. */
  private async sweep(): Promise<void> {
    const [look] = await this.dataSource.query<{ found: boolean }[]>(`SELECT EXISTS (${DUE_SQL}) AS found`);
    if (!look?.found) return;
    await this.dataSource.transaction(async (tx) => {
      await tx.query(`SET LOCAL idle_in_transaction_session_timeout = '${HUNG}'`);
      const [lock] = await tx.query<{ mine: boolean }[]>(LOCK_SQL);
      if (!lock?.mine) return;
      const rows = await tx.query<{ id: string; fact: AuditFact }[]>(
        `${DUE_SQL} ORDER BY seq LIMIT ${MOST_AUDIT_FACTS}`,
      );
      if (rows.length === 0) return;
      const appended = new Set(await this.append(rows.map(({ fact }) => fact)));
      const refused = rows.map(({ id }) => id).filter((id) => !appended.has(id));
      await tx.query(DELETE_SQL, [[...appended]]);
      if (refused.length > 0) await tx.query(POSTPONE_SQL, [refused]);
      log().info({ rows: appended.size, refused: refused.length }, 'audit outbox swept');
    });
  }
}

/** The audit outbox of a service. */
export const auditOutboxProvider: Provider = {
  provide: AuditOutbox,
  inject: [DataSource, RpcClient, PeriodicTasks],
  useFactory: (dataSource: DataSource, rpc: RpcClient, tasks: PeriodicTasks) =>
    new AuditOutbox(dataSource, rpc, tasks),
};
