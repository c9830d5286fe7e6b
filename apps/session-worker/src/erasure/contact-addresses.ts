import { Injectable } from '@nestjs/common';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { signalKeyRow, Vault } from '../credentials/vault.js';
import { type KeyName, Platform } from '../platform/port.js';

/** Addresses of a person in the journals, as columns; the same session may come twice. */
export interface Addresses {
  sessionIds: string[];
  addresses: string[];
}

interface KeyRow {
  sessionId: string;
  sealed: Buffer | null;
}

/** Finds the addresses under which the sessions of a tenant know a person: the one that tenants see, and the one that the platform hides it behind. */
@Injectable()
export class ContactAddresses {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly platform: Platform,
  ) {}

  async of(tenantId: string, contact: string): Promise<Addresses> {
    const key = this.platform.hiddenAddressKey(contact);
    const rows = await this.dataSource.query<KeyRow[]>(
      `SELECT s.id AS "sessionId", k.sealed FROM session s
       LEFT JOIN signal_key k ON k.session_id = s.id AND k.type = $2 AND k.key_id = $3 WHERE s.tenant_id = $1`,
      [tenantId, key?.type, key?.id],
    );
    const pairs = rows.flatMap((row) => {
      const hidden = key && this.hiddenIn(row, key);
      return [contact, ...(hidden ? [hidden] : [])].map((address) => [row.sessionId, address] as const);
    });
    return { sessionIds: pairs.map(([id]) => id), addresses: pairs.map(([, address]) => address) };
  }

  private hiddenIn({ sessionId, sealed }: KeyRow, { type, id }: KeyName): string | undefined {
    if (!sealed) return undefined;
    try {
      return this.platform.hiddenAddressIn(this.vault.open(signalKeyRow(sessionId, type, id), sealed));
    } catch (error) {
      log().warn({ sessionId, err: error }, 'a hidden address cannot be read');
      return undefined;
    }
  }
}
