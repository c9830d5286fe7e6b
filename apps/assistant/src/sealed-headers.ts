import type { SealedTable, SecretBox, SecretPlace } from '@svc/service';

/** Headers of requests, by their names. */
export type Headers = Record<string, string>;

/** This class keeps headers, which may be secrets of a tenant, sealed in the rows of a table whose keys are tenant and name. */
export class SealedHeaders {
  constructor(
    private readonly box: SecretBox,
    private readonly tableName: 'tool' | 'tool_server',
  ) {}

  /** Seals headers for their row. @returns null where there are none */
  seal(tenantId: string, name: string, headers: Headers | undefined): Buffer | null {
    if (!headers || Object.keys(headers).length === 0) return null;
    return this.box.seal(Buffer.from(JSON.stringify(headers)), this.placeOf(tenantId, name));
  }

  /** Opens the headers of a row. @throws Error where no configured key opens them. */
  open(tenantId: string, name: string, sealed: Buffer | null): Headers {
    if (!sealed) return {};
    return JSON.parse(this.box.open(sealed, this.placeOf(tenantId, name)).toString()) as Headers;
  }

  /** Describes the table whose headers are sealed anew when the key of this service has changed. */
  get table(): SealedTable {
    return {
      ...{ table: this.tableName, key: ['tenant_id', 'name'], sealed: { headers_enc: 'bytea' as const } },
      where: 'headers_enc IS NOT NULL',
      sealAnew: (row) => {
        const place = this.placeOf(row['tenant_id'] as string, row['name'] as string);
        const anew = this.box.reseal(row['headers_enc'] as Buffer, place);
        return anew && { headers_enc: anew };
      },
    };
  }

  private placeOf(tenantId: string, name: string): SecretPlace {
    return [this.tableName, 'headers_enc', `${tenantId}/${name}`];
  }
}
