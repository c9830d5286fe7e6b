import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DeleteToolV1, type SetToolV1, TOOLS_MAX, type ToolView } from '@svc/contracts';
import { type SealedTable, SecretBox } from '@svc/service';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../audited-changes.js';
import { type Headers, SealedHeaders } from '../sealed-headers.js';

const COLUMNS = `name, description, url, parameters, read_only AS "readOnly", needs_approval AS "needsApproval", timeout_ms AS "timeoutMs",
    header_names AS "headerNames", revision`;
const LIST_SQL = `SELECT ${COLUMNS} FROM tool WHERE tenant_id = $1 ORDER BY name`;
const OF_NAMES_SQL = `SELECT ${COLUMNS}, headers_enc AS "headersEnc" FROM tool WHERE tenant_id = $1 AND name = ANY ($2) ORDER BY name`;
const SET_SQL = `INSERT INTO tool (tenant_id, name, description, url, parameters, read_only, timeout_ms, headers_enc, header_names, needs_approval)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::text[], '{}'), $10
  WHERE (SELECT count(*) FROM tool WHERE tenant_id = $1 AND name <> $2) < ${TOOLS_MAX}
  ON CONFLICT (tenant_id, name) DO UPDATE SET description = $3, url = $4, parameters = $5, read_only = $6, timeout_ms = $7,
    headers_enc = CASE WHEN $9::text[] IS NULL THEN tool.headers_enc ELSE $8 END,
    header_names = coalesce($9::text[], tool.header_names),
    needs_approval = $10, revision = tool.revision + 1, change_id = gen_random_uuid()
  RETURNING revision`;
const DELETE_SQL = 'DELETE FROM tool WHERE tenant_id = $1 AND name = $2 RETURNING name';

/** A tool that can be called. */
export interface Tool extends ToolView {
  headers: Headers;
  /** Name that its MCP server gives it; left out: it is a program behind a POST. */
  serverTool?: string;
}

interface ToolRow extends ToolView {
  headersEnc: Buffer | null;
}

/** This repository keeps the tools of tenants, their headers sealed. */
@Injectable()
export class ToolRepository {
  private readonly headers: SealedHeaders;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    box: SecretBox,
    private readonly changes: AuditedChanges,
  ) {
    this.headers = new SealedHeaders(box, 'tool');
  }

  list(tenantId: string): Promise<ToolView[]> {
    return this.dataSource.query<ToolView[]>(LIST_SQL, [tenantId]);
  }

  /** Finds tools of a tenant with their headers. @throws Error where no configured key opens them. */
  async ofNames(tenantId: string, names: string[]): Promise<Tool[]> {
    if (names.length === 0) return [];
    const rows = await this.dataSource.query<ToolRow[]>(OF_NAMES_SQL, [tenantId, names]);
    return rows.map(({ headersEnc, ...view }) => ({
      ...view,
      headers: this.headers.open(tenantId, view.name, headersEnc),
    }));
  }

  /** Writes a tool; headers that are left out stay. @returns false where the tenant has all tools that it may have. */
  async set({ tenantId, name, actor, headers, ...tool }: SetToolV1): Promise<boolean> {
    const { description, url, parameters, readOnly, needsApproval, timeoutMs } = tool;
    const names = headers ? Object.keys(headers) : null;
    const sealed = this.headers.seal(tenantId, name, headers);
    const set = [description, url, parameters, readOnly, timeoutMs, sealed, names, needsApproval];
    const details = { tool: name, url, readOnly, needsApproval, ...(headers ? { headers: names } : {}) };
    const line = { tenantId, actor, action: 'assistant.tool_changed', details };
    return this.changes.write(
      line,
      async (tx) => (await tx.query<unknown[]>(SET_SQL, [tenantId, name, ...set])).length > 0,
    );
  }

  async delete({ tenantId, name, actor }: DeleteToolV1): Promise<void> {
    const line = { tenantId, actor, action: 'assistant.tool_removed', details: { tool: name } };
    await this.changes.write(line, async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(DELETE_SQL, [tenantId, name]);
      return rows.length > 0;
    });
  }

  /** Describes the table whose headers are sealed anew when the key of this service has changed. */
  get table(): SealedTable {
    return this.headers.table;
  }
}
