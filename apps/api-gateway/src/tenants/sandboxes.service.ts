import { Injectable } from '@nestjs/common';
import { CreateSubscription, SetSubscription } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditService } from '../audit/audit.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

const FIND_SQL = 'SELECT id FROM tenant WHERE sandbox_of = $1';
const MAKE_SQL = `INSERT INTO tenant (id, name, sandbox_of, suspended_at)
  SELECT $2, left(name, 90) || ' (sandbox)', id, suspended_at FROM tenant WHERE id = $1
  ON CONFLICT (sandbox_of) DO NOTHING RETURNING id`;

/** This class finds and makes the sandboxes of tenants. Each is a tenant of its own, with the plan of the one it belongs to and nothing to pay. */
@Injectable()
export class SandboxesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
  ) {}

  /** Finds the sandbox of a tenant; it is made when it is first asked for. @returns its tenant id. */
  async of(tenantId: string, actor: string): Promise<string> {
    const { plan } = await this.subscriptions.of(tenantId);
    const existing = await this.find(tenantId);
    if (existing) {
      await this.rpc.request(SetSubscription, { tenantId: existing, plan, status: 'ACTIVE' });
      return existing;
    }
    // Subscription first: it is harmless without a tenant, while a tenant without one could do nothing.
    const sandboxId = uuidv7();
    const active = { plan, status: 'ACTIVE' as const, internal: false };
    await this.rpc.request(CreateSubscription, { tenantId: sandboxId, ...active });
    await this.dataSource.transaction(async (tx) => {
      const made = await tx.query<{ id: string }[]>(MAKE_SQL, [tenantId, sandboxId]);
      if (made.length === 0) return;
      await this.audit.write({ tenantId, actor, action: 'sandbox.created', target: sandboxId }, tx);
    });
    return (await this.find(tenantId)) ?? sandboxId;
  }

  private async find(tenantId: string): Promise<string | undefined> {
    const [sandbox] = await this.dataSource.query<{ id: string }[]>(FIND_SQL, [tenantId]);
    return sandbox?.id;
  }
}
