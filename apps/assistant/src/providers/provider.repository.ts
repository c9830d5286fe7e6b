import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DeleteProviderV1, ProviderView, SetProviderV1 } from '@svc/contracts';
import { type SealedTable, SecretBox, type SecretPlace } from '@svc/service';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../audited-changes.js';

const READ_SQL = `SELECT kind, base_url AS "baseUrl", model, fallback_model AS "fallbackModel", key_enc AS "keyEnc",
    key_ending AS "keyEnding", revision
  FROM provider WHERE tenant_id = $1`;
const SET_SQL = `INSERT INTO provider (tenant_id, base_url, model, fallback_model, key_enc, key_ending, kind)
  VALUES ($1, $2, $3, $4, $5, $6, $8)
  ON CONFLICT (tenant_id) DO UPDATE SET kind = $8, base_url = $2, model = $3, fallback_model = $4,
    key_enc = CASE WHEN $7 THEN provider.key_enc ELSE $5 END,
    key_ending = CASE WHEN $7 THEN provider.key_ending ELSE $6 END,
    revision = provider.revision + 1`;
const ENDING = 4;
/** A shorter key shows nothing of itself: four of its characters would be too much of it. */
const SHORTEST_WITH_ENDING = 16;

/** A provider as its row has it. */
export interface ProviderRow extends ProviderView {
  keyEnc: Buffer | null;
}

const placeOf = (tenantId: string): SecretPlace => ['provider', 'key_enc', tenantId];

/** This repository keeps the providers of tenants, their keys sealed. */
@Injectable()
export class ProviderRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly box: SecretBox,
    private readonly changes: AuditedChanges,
  ) {}

  async find(tenantId: string): Promise<ProviderRow | undefined> {
    const [row] = await this.dataSource.query<ProviderRow[]>(READ_SQL, [tenantId]);
    return row;
  }

  /** Writes the provider; a key that is left out stays. */
  async set({
    tenantId,
    kind = 'openai',
    baseUrl,
    model,
    fallbackModel,
    key,
    actor,
  }: SetProviderV1): Promise<void> {
    const sealed = key ? this.box.seal(Buffer.from(key), placeOf(tenantId)) : null;
    const ending = key && key.length >= SHORTEST_WITH_ENDING ? key.slice(-ENDING) : null;
    const values = [tenantId, baseUrl, model, fallbackModel ?? null, sealed, ending, key === undefined, kind];
    const details = {
      kind,
      baseUrl,
      model,
      ...(key === undefined ? {} : { key: key === null ? 'removed' : 'changed' }),
    };
    const line = { tenantId, actor, action: 'assistant.provider_changed', details };
    await this.changes.write(line, async (tx) => {
      await tx.query(SET_SQL, values);
      return true;
    });
  }

  async delete({ tenantId, actor }: DeleteProviderV1): Promise<void> {
    const line = { tenantId, actor, action: 'assistant.provider_removed', details: {} };
    await this.changes.write(line, async (tx) => {
      await tx.query('DELETE FROM provider WHERE tenant_id = $1', [tenantId]);
      return true;
    });
  }

  /** Opens the key of a provider. @throws Error where no configured key opens it. */
  keyOf(tenantId: string, { keyEnc }: ProviderRow): string | undefined {
    return keyEnc ? this.box.open(keyEnc, placeOf(tenantId)).toString() : undefined;
  }

  /** Describes the table whose keys are sealed anew when the key of this service has changed. */
  get table(): SealedTable {
    return {
      ...{ table: 'provider', key: ['tenant_id'], sealed: { key_enc: 'bytea' as const } },
      where: 'key_enc IS NOT NULL',
      sealAnew: (row) => {
        const anew = this.box.reseal(row['key_enc'] as Buffer, placeOf(row['tenant_id'] as string));
        return anew && { key_enc: anew };
      },
    };
  }
}
