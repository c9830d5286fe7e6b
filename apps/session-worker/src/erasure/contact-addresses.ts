import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { Vault } from '../credentials/vault.js';
import { deserialize } from '../platform/whatsapp/keys/credentials.js';

/** Where the library keeps under which hidden address it knows a number. */
const MAPPING = 'lid-mapping';

/** Addresses of a person in the journals, as columns: the same session may come twice. */
export interface Addresses {
  sessionIds: string[];
  addresses: string[];
}

interface MappingRow {
  sessionId: string;
  sealed: Buffer | null;
}

/** Under which addresses the sessions of a tenant know a person: the one that tenants see, and the one that the platform hides it behind. */
@Injectable()
export class ContactAddresses {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
  ) {}

  async of(tenantId: string, contact: string): Promise<Addresses> {
    const digits = /^(\d+)@s\.whatsapp\.net$/.exec(contact)?.[1] ?? '';
    const rows = await this.dataSource.query<MappingRow[]>(
      `SELECT s.id AS "sessionId", k.sealed FROM session s
       LEFT JOIN signal_key k ON k.session_id = s.id AND k.type = $2 AND k.key_id = $3 WHERE s.tenant_id = $1`,
      [tenantId, MAPPING, digits],
    );
    const pairs = rows.flatMap((row) => {
      const hidden = this.hiddenIn(row, digits);
      return [contact, ...(hidden ? [hidden] : [])].map((address) => [row.sessionId, address] as const);
    });
    return { sessionIds: pairs.map(([id]) => id), addresses: pairs.map(([, address]) => address) };
  }

  private hiddenIn({ sessionId, sealed }: MappingRow, digits: string): string | undefined {
    if (!sealed) return undefined;
    try {
      const place = { sessionId, table: 'signal_key', row: `${MAPPING}|${digits}` } as const;
      const user = deserialize(this.vault.open(place, sealed), MAPPING);
      return typeof user === 'string' ? `${user}@lid` : undefined;
    } catch (error) {
      log().warn({ sessionId, err: error }, 'a hidden address cannot be read');
      return undefined;
    }
  }
}
