import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { GatewayConfig } from '../config.js';
import type { LinkPurpose } from '../single-use/single-use-links.js';

/** Purpose of the links of this page. */
export const PURPOSE: LinkPurpose = 'link-number';

/** A sandbox shows the name of its tenant. */
const NAME_SQL = `SELECT coalesce(own.confirmed_name, live.confirmed_name) AS name, own.suspended_at IS NOT NULL AS suspended
  FROM tenant own LEFT JOIN tenant live ON live.id = own.sandbox_of WHERE own.id = $1`;

/** Names on a link page: of who runs the installation, and of the tenant. */
export interface LinkNames {
  installation: string;
  tenant: string;
}

/** This class says who will read and write on a number: only names that the operator has confirmed. */
@Injectable()
export class NamesOnPages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: GatewayConfig,
  ) {}

  /** @throws AppError `LINK_PAGE_NOT_ALLOWED` where a name is missing, or the tenant is suspended. */
  async of(tenantId: string): Promise<LinkNames> {
    const [row] = await this.dataSource.query<{ name: string | null; suspended: boolean }[]>(NAME_SQL, [
      tenantId,
    ]);
    const { installationName: installation } = this.config;
    if (!installation || !row?.name || row.suspended) throw new AppError('LINK_PAGE_NOT_ALLOWED');
    return { installation, tenant: row.name };
  }
}
