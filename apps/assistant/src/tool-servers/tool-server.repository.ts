import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type ChangeToolServerV1,
  type OfferedTool,
  type SetToolServerV1,
  TOOL_SERVERS_MAX,
  type ToolServer,
  type ToolServerView,
} from '@svc/contracts';
import { type SealedTable, SecretBox } from '@svc/service';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../audited-changes.js';
import { type Headers, SealedHeaders } from '../sealed-headers.js';

const COLUMNS = `name, url, allowed AS allow, read_only AS "readOnly", timeout_ms AS "timeoutMs", header_names AS "headerNames", revision,
    to_char(read_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "readAt"`;
const LIST_SQL = `SELECT ${COLUMNS} FROM tool_server WHERE tenant_id = $1 ORDER BY name`;
const OF_NAMES_SQL = `SELECT ${COLUMNS}, tools, headers_enc AS "headersEnc" FROM tool_server
  WHERE tenant_id = $1 AND name = ANY ($2) ORDER BY name`;
// Headers that stay are sent to the address alone for which they were given, whatever others set meanwhile.
const SET_SQL = `INSERT INTO tool_server (tenant_id, name, url, allowed, read_only, timeout_ms, tools, read_at, headers_enc, header_names)
  SELECT $1, $2, $3, $4, $5, $6, $7, svc_now($1), $8, coalesce($9::text[], '{}')
  WHERE (SELECT count(*) FROM tool_server WHERE tenant_id = $1 AND name <> $2) < ${TOOL_SERVERS_MAX}
  ON CONFLICT (tenant_id, name) DO UPDATE SET url = $3, allowed = $4, read_only = $5, timeout_ms = $6, tools = $7, read_at = svc_now($1),
    headers_enc = CASE WHEN $9::text[] IS NULL THEN tool_server.headers_enc ELSE $8 END,
    header_names = coalesce($9::text[], tool_server.header_names),
    revision = tool_server.revision + 1
    WHERE $9::text[] IS NOT NULL OR tool_server.url = $3 OR tool_server.header_names = '{}'
  RETURNING revision`;
const REFRESH_SQL = `UPDATE tool_server SET tools = $4, read_at = svc_now($1), revision = revision + 1
  WHERE tenant_id = $1 AND name = $2 AND revision = $3 RETURNING revision`;
const DELETE_SQL = 'DELETE FROM tool_server WHERE tenant_id = $1 AND name = $2 RETURNING name';

/** An MCP server that can be asked. */
export interface StoredServer extends ToolServer {
  headers: Headers;
}

interface ServerRow extends ToolServer {
  headersEnc: Buffer | null;
}

/** This repository keeps the MCP servers of tenants, their headers sealed, with what each has offered. */
@Injectable()
export class ToolServerRepository {
  private readonly headers: SealedHeaders;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    box: SecretBox,
    private readonly changes: AuditedChanges,
  ) {
    this.headers = new SealedHeaders(box, 'tool_server');
  }

  list(tenantId: string): Promise<ToolServerView[]> {
    return this.dataSource.query<ToolServerView[]>(LIST_SQL, [tenantId]);
  }

  /** Finds servers of a tenant with their headers. @throws Error where no configured key opens them. */
  async ofNames(tenantId: string, names: string[]): Promise<StoredServer[]> {
    if (names.length === 0) return [];
    const rows = await this.dataSource.query<ServerRow[]>(OF_NAMES_SQL, [tenantId, names]);
    return rows.map(({ headersEnc, ...server }) => ({
      ...server,
      headers: this.headers.open(tenantId, server.name, headersEnc),
    }));
  }

  /** Writes a server and what it offers; headers that are left out stay. @returns false where there is no room for it, or its stored headers are for another address by now. */
  async set(
    { tenantId, name, actor, headers, ...server }: SetToolServerV1,
    tools: OfferedTool[],
  ): Promise<boolean> {
    const { url, allow, readOnly, timeoutMs } = server;
    const names = headers ? Object.keys(headers) : null;
    const sealed = this.headers.seal(tenantId, name, headers);
    const values = [tenantId, name, url, allow, readOnly, timeoutMs, JSON.stringify(tools), sealed, names];
    const details = { server: name, url, allow, readOnly, ...(headers ? { headers: names } : {}) };
    const line = { tenantId, actor, action: 'assistant.tool_server_changed', details };
    return this.changes.write(line, async (tx) => (await tx.query<unknown[]>(SET_SQL, values)).length > 0);
  }

  /** Writes what a server offers now. @returns false where it was changed since it had this revision. */
  refresh(
    { tenantId, name, actor }: ChangeToolServerV1,
    revision: number,
    tools: OfferedTool[],
  ): Promise<boolean> {
    const values = [tenantId, name, revision, JSON.stringify(tools)];
    const line = { tenantId, actor, action: 'assistant.tool_server_read', details: { server: name } };
    return this.changes.write(line, async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(REFRESH_SQL, values);
      return rows.length > 0;
    });
  }

  async delete({ tenantId, name, actor }: ChangeToolServerV1): Promise<void> {
    const line = { tenantId, actor, action: 'assistant.tool_server_removed', details: { server: name } };
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
