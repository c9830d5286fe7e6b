import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { FairPlaces, forgetErasures, log, PeriodicTasks, UnderWay } from '@svc/service';
import { DataSource } from 'typeorm';
import { ErasureRecord } from './erasure.entity.js';
import { ErasuresService } from './erasures.service.js';

const INTERVAL_MS = 500;
const FORGET_MS = 3_600_000;
/** Erasures that this process carries out at the same time: how long one takes depends on how much its tenant keeps. */
const PLACES = 4;
/** Time after which another replica claims the erasure: two may take the steps at a time, they count what they find. */
const CLAIM = `interval '2 minutes'`;
const RETRY = `interval '5 seconds'`;

const IS_DUE = 'due.finished_at IS NULL AND due.next_at <= statement_timestamp()';
// The statement goes from tenant to tenant along the index: it costs as much as there are tenants, not erasures.
const TENANTS_SQL = `WITH RECURSIVE waiting AS (
    (SELECT tenant_id AS id FROM erasure WHERE finished_at IS NULL ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant_id FROM erasure WHERE finished_at IS NULL AND tenant_id > waiting.id ORDER BY tenant_id LIMIT 1)
    FROM waiting WHERE waiting.id IS NOT NULL)
  SELECT id FROM waiting WHERE EXISTS (SELECT FROM erasure due WHERE due.tenant_id = waiting.id AND ${IS_DUE})`;
const CLAIM_SQL = `UPDATE erasure SET next_at = clock_timestamp() + ${CLAIM} WHERE id = (
    SELECT id FROM erasure due WHERE tenant_id = $1 AND ${IS_DUE} AND id <> ALL($2::uuid[])
    ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id`;
const RETRY_SQL = `UPDATE erasure SET next_at = clock_timestamp() + ${RETRY} WHERE id = $1`;

/**
 * This runner carries out erasures, also those that a crash or a service that is away has interrupted. Tenants take turns: thousands of one
 * tenant do not hold up the one of another.
 */
@Injectable()
export class ErasureRunner implements OnModuleDestroy {
  private readonly places = new FairPlaces('erasures', PLACES);
  /** Tenants that wait for a turn. */
  private readonly waiting = new Set<string>();
  /** Erasures that this process is at. */
  private readonly active = new Set<string>();
  private readonly turns = new UnderWay();

  constructor(
    private readonly dataSource: DataSource,
    private readonly erasures: ErasuresService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('erasures', INTERVAL_MS, (stopping) => this.sweep(stopping));
    tasks.add('erased contacts', FORGET_MS, () => forgetErasures(this.dataSource));
  }

  /** Waits for the erasures that are under way; Nest calls it. */
  onModuleDestroy(): Promise<void> {
    return this.turns.settled();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    const tenants = await this.dataSource.query<{ id: string }[]>(TENANTS_SQL);
    for (const { id } of tenants) this.line(id, stopping);
  }

  /** Lines a tenant up for a turn. After it the tenant lines up again, behind the others, as long as there is something to do. */
  private line(tenantId: string, stopping: AbortSignal): void {
    if (this.waiting.has(tenantId) || stopping.aborted) return;
    this.waiting.add(tenantId);
    const turn = this.places
      .run(tenantId, () => this.takeTurn(tenantId), stopping)
      .then(
        (isDone) => isDone && this.line(tenantId, stopping),
        (error: unknown) => {
          this.waiting.delete(tenantId);
          if (!stopping.aborted) log().warn({ err: error }, 'erasures could not be claimed');
        },
      );
    void this.turns.add(turn);
  }

  /** @returns false: there is nothing to do, or it went wrong; the sweep comes round again. */
  private async takeTurn(tenantId: string): Promise<boolean> {
    this.waiting.delete(tenantId);
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[claimed]] = await this.dataSource.query<[{ id: string }[], number]>(CLAIM_SQL, [
      tenantId,
      [...this.active],
    ]);
    if (!claimed) return false;
    this.active.add(claimed.id);
    try {
      return await this.carryOut(claimed.id);
    } finally {
      this.active.delete(claimed.id);
    }
  }

  private async carryOut(id: string): Promise<boolean> {
    try {
      await this.erasures.carryOut(
        await this.dataSource.getRepository(ErasureRecord).findOneByOrFail({ id }),
      );
      return true;
    } catch (error) {
      log().warn({ erasureId: id, err: error }, 'an erasure goes on later');
      await this.dataSource.query(RETRY_SQL, [id]);
      return false;
    }
  }
}
