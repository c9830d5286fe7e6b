import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ConfirmedName,
  type ConfirmTenantNameV1,
  invalidField,
  operatorActor,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { isLikePlatform } from '../tenants/platform-names.js';
import { Tenant } from '../tenants/tenant.entity.js';

/** Characters that are not seen, or that turn the direction of what follows. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|^\s|\s$/u;

/** This class writes the names that pages for the customers of a tenant show. Its sandbox shows the same. */
@Injectable()
export class ConfirmedNames {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError `VALIDATION_FAILED`, `TENANT_NOT_FOUND` */
  async confirm({ tenantId, name: given, operator }: ConfirmTenantNameV1): Promise<ConfirmedName> {
    const name = given ?? null;
    if (name !== null && UNSEEN.test(name))
      throw invalidField('name', 'name must be of characters that can be seen');
    if (name !== null && isLikePlatform(name))
      throw invalidField('name', 'name must not be like that of the platform');
    await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.update(Tenant, { id: tenantId }, { confirmedName: name });
      if (affected !== 1) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
      const action = name === null ? 'tenant.name_withdrawn' : 'tenant.name_confirmed';
      const fact = { tenantId, actor: operatorActor(operator), action, target: tenantId };
      await this.audit.write({ ...fact, ...(name !== null && { details: { name } }) }, tx);
    });
    return { tenantId, name };
  }
}
