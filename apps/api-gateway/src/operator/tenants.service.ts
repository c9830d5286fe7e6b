import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash } from '@node-rs/argon2';
import {
  CreateSubscription,
  type CreateTenantV1,
  GetSubscription,
  type NewTenant,
  operatorActor,
  type TenantSummary,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditService } from '../audit/audit.service.js';
import { KeyRows } from '../keys/key-rows.service.js';
import { DashboardUser } from '../tenants/dashboard-user.entity.js';
import { slugOf } from './slug.js';
import { Tenant } from '../tenants/tenant.entity.js';

/** This class makes and lists tenants for the operator, until the dashboard has a sign-up. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: KeyRows,
    private readonly audit: AuditService,
    private readonly rpc: RpcClient,
  ) {}

  /** Makes a tenant. Its subscription comes first: it is harmless without a tenant, while a tenant without one could do nothing. */
  async create({ name, plan, subscription: status, internal, operator }: CreateTenantV1): Promise<NewTenant> {
    const tenantId = uuidv7();
    const actor = operatorActor(operator);
    await this.rpc.request(CreateSubscription, { tenantId, plan, status, internal });
    const password = randomBytes(18).toString('base64url');
    const passwordHash = await hash(password);
    return this.dataSource.transaction(async (tx) => {
      await tx
        .createQueryBuilder()
        .insert()
        .into(Tenant, ['id', 'name'])
        .values({ id: tenantId, name })
        .execute();
      const fact = { tenantId, actor, action: 'tenant.created', target: tenantId };
      await this.audit.write({ ...fact, details: { name, plan, subscription: status, internal } }, tx);
      const email = await this.addUser(tx, { tenantId, name, passwordHash, actor });
      const order = { tenantId, name: 'First key', scopes: ['*' as const], actor };
      const { kid, secret } = await this.keys.make(tx, order);
      return { tenantId, apiKey: secret, kid, dashboard: { email, password } };
    });
  }

  async list(): Promise<TenantSummary[]> {
    const tenants = await this.dataSource
      .getRepository(Tenant)
      .find({ order: { createdAt: 'ASC', id: 'ASC' } });
    return Promise.all(
      tenants.map(async ({ id: tenantId, name, sandboxOf, suspendedAt, createdAt }) => {
        const { plan, status, internal } = await this.rpc.request(GetSubscription, { tenantId });
        return {
          ...{ tenantId, name, plan, subscription: status, internal, createdAt: createdAt.toISOString() },
          ...(sandboxOf ? { sandboxOf } : {}),
          ...(suspendedAt ? { suspendedAt: suspendedAt.toISOString() } : {}),
        };
      }),
    );
  }

  /** Adds the first user. A domain under `.example` belongs to nobody; a name that is taken gets the end of the tenant's id. */
  private async addUser(
    tx: EntityManager,
    { tenantId, name, passwordHash, actor }: Record<'tenantId' | 'name' | 'passwordHash' | 'actor', string>,
  ): Promise<string> {
    const slug = slugOf(name);
    for (const host of [slug, `${slug}-${tenantId.slice(-8)}`]) {
      const email = `owner@${host}.example`;
      const id = uuidv7();
      const { raw } = await tx
        .createQueryBuilder()
        .insert()
        .into(DashboardUser, ['id', 'tenantId', 'email', 'passwordHash'])
        .values({ id, tenantId, email, passwordHash })
        .orIgnore()
        .returning('id')
        .execute();
      if ((raw as unknown[]).length === 0) continue;
      await this.audit.write({ tenantId, actor, action: 'member.added', target: id, details: { email } }, tx);
      return email;
    }
    throw new Error('Both addresses of a new tenant are taken.');
  }
}
