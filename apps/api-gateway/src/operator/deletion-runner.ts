import { Injectable } from '@nestjs/common';
import {
  type DeletedTenantRows,
  type DeleteTenantRowsV1,
  DeleteTenantAssistants,
  DeleteTenantLimits,
  DeleteTenantSessions,
  DeleteTenantUsage,
  DeleteTenantWebhooks,
  ListSessions,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { Answerers } from '../assistant/answerers.service.js';
import { TenantErasure } from './tenant-erasure.js';

const INTERVAL_MS = 500;
/** Time until another replica takes a deletion up: the steps may be taken twice at a time. */
const CLAIM = `interval '2 minutes'`;
const RETRY = `interval '2 seconds'`;
/** After this time nothing of the tenant is on its way between the services any more. */
const SETTLED = `interval '1 minute'`;
/** Once, and once more for what was on its way. */
const ROUNDS = 2;
const PATIENCE_MS = 30_000;
const SESSIONS_AT_ONCE = 200;

const CLAIM_SQL = `UPDATE tenant_deletion SET next_at = clock_timestamp() + ${CLAIM} WHERE tenant_id IN (
    SELECT tenant_id FROM tenant_deletion WHERE finished_at IS NULL AND next_at <= statement_timestamp()
    ORDER BY next_at LIMIT 2 FOR UPDATE SKIP LOCKED)
  RETURNING tenant_id AS "tenantId", tenant_ids AS "tenantIds", session_ids AS "sessionIds", rounds`;
const RETRY_SQL = `UPDATE tenant_deletion SET next_at = clock_timestamp() + ${RETRY} WHERE tenant_id = $1`;
const ROUND_SQL = `UPDATE tenant_deletion SET rounds = rounds + 1, next_at = clock_timestamp() + ${SETTLED} WHERE tenant_id = $1`;
const SESSIONS_SQL = `UPDATE tenant_deletion SET session_ids = ARRAY(
    SELECT unnest($2::uuid[]) UNION SELECT session_id FROM message WHERE tenant_id = ANY(tenant_ids))
  WHERE tenant_id = $1 RETURNING session_ids AS "sessionIds"`;
const COUNT_SQL = `UPDATE tenant_deletion SET deleted = deleted || (
    SELECT coalesce(jsonb_object_agg(key, value::bigint + coalesce((deleted ->> key)::bigint, 0)), '{}')
    FROM jsonb_each_text($2::jsonb))
  WHERE tenant_id = $1`;

/** In this order: of what the workers have deleted comes no event, and what no endpoint waits for is not delivered. */
const SERVICES = [DeleteTenantSessions, DeleteTenantWebhooks, DeleteTenantLimits, DeleteTenantUsage];

/** A deletion that is due. */
interface Deletion {
  tenantId: string;
  /** The tenant itself is the last. */
  tenantIds: string[];
  /** Null: nobody has looked yet. */
  sessionIds: string[] | null;
  rounds: number;
}

/** This runner carries out deletions of tenants, also those that a crash or a service that is away has interrupted. */
@Injectable()
export class DeletionRunner {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rpc: RpcClient,
    private readonly erasure: TenantErasure,
    private readonly answerers: Answerers,
    tasks: PeriodicTasks,
  ) {
    tasks.add('tenant deletions', INTERVAL_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [due] = await this.dataSource.query<[Deletion[], number]>(CLAIM_SQL);
    for (const deletion of due) await this.carryOut(deletion);
  }

  private async carryOut(deletion: Deletion): Promise<void> {
    const { tenantId, tenantIds, rounds } = deletion;
    try {
      const sessionIds = deletion.sessionIds ?? (await this.findSessions(deletion));
      for (const id of tenantIds)
        if (!(await this.deleteAll(tenantId, { tenantId: id, sessionIds })))
          return void (await this.dataSource.query(RETRY_SQL, [tenantId]));
      if (rounds + 1 < ROUNDS) return void (await this.dataSource.query(ROUND_SQL, [tenantId]));
      await this.erasure.finish(tenantId, tenantIds);
      log().info({ tenantId }, 'a tenant is deleted');
    } catch (error) {
      log().warn({ tenantId, err: error }, 'the deletion of a tenant goes on later');
      await this.dataSource.query(RETRY_SQL, [tenantId]);
    }
  }

  /** Asks each service until it says that nothing is left. @returns false: one waits for something, as for its sessions to end. */
  private async deleteAll(deletion: string, request: DeleteTenantRowsV1): Promise<boolean> {
    const contracts = (await this.answerers.isUsedBy(request.tenantId))
      ? [...SERVICES, DeleteTenantAssistants]
      : SERVICES;
    const services = contracts.map((contract) => () => this.rpc.request(contract, request, PATIENCE_MS));
    for (const ask of [...services, () => this.erasure.deleteRows(request)]) {
      let reply: DeletedTenantRows;
      do {
        reply = await ask();
        await this.dataSource.query(COUNT_SQL, [deletion, JSON.stringify(reply.deleted)]);
        // Anything less is no progress: then it is asked again in a while.
      } while (!reply.done && Object.keys(reply.deleted).length > 0);
      if (!reply.done) return false;
    }
    return true;
  }

  /** Finds the sessions that there are, and those of which only messages are left: rows elsewhere name no tenant. */
  private async findSessions({ tenantId, tenantIds }: Deletion): Promise<string[]> {
    const ids: string[] = [];
    for (const id of tenantIds) {
      let before: string | undefined;
      do {
        const request = { tenantId: id, limit: SESSIONS_AT_ONCE, ...(before && { before }) };
        const { sessions } = await this.rpc.request(ListSessions, request);
        ids.push(...sessions.map((session) => session.id));
        before = sessions.length === SESSIONS_AT_ONCE ? sessions.at(-1)?.id : undefined;
      } while (before);
    }
    const [[row]] = await this.dataSource.query<[[{ sessionIds: string[] }], number]>(SESSIONS_SQL, [
      tenantId,
      ids,
    ]);
    return row.sessionIds;
  }
}
