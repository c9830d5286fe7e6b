import { Injectable } from '@nestjs/common';
import {
  AppError,
  calledToolOf,
  type ChangeToolServerV1,
  invalidField,
  type OfferedTool,
  type SetToolServerV1,
  TOOL_SERVERS_MAX,
  type ToolServer,
  type ToolServerView,
} from '@svc/contracts';
import { AddressGuard } from '@svc/outbound-http';
import { ModelFailure } from '../answers/model.js';
import { IDEMPOTENCY_KEY } from '../idempotency-key.js';
import { McpClients, type ServerAccess } from './mcp-clients.js';
import { offeredTools } from './offered-tools.js';
import { type StoredServer, ToolServerRepository } from './tool-server.repository.js';

/** A tool of an MCP server that a model may call. */
export interface ServerTool extends ServerAccess {
  /** Name by which the model calls it. */
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  readOnly: boolean;
  /** A person decides on calls of the tenant's own tools alone. */
  needsApproval: false;
  headerNames: string[];
  revision: number;
  /** Name that its server gives it. */
  serverTool: string;
}

/** This service keeps the MCP servers whose tools the models of a tenant may call. */
@Injectable()
export class ToolServersService {
  constructor(
    private readonly servers: ToolServerRepository,
    private readonly clients: McpClients,
    private readonly guard: AddressGuard,
  ) {}

  list(tenantId: string): Promise<ToolServerView[]> {
    return this.servers.list(tenantId);
  }

  /** @throws AppError `TOOL_SERVER_NOT_FOUND` */
  async get(tenantId: string, name: string): Promise<ToolServer> {
    const { headers: _, ...server } = await this.stored(tenantId, name);
    return server;
  }

  /**
   * Sets a server, and reads what it offers.
   * @throws AppError `VALIDATION_FAILED` where its address may not be connected to, a name of a tool is none for a model, or stored headers would go to
   * another address; `TOOL_SERVER_FAILED` where its list cannot be read: nothing is changed then.
   */
  async set(request: SetToolServerV1): Promise<ToolServer> {
    const { tenantId, name, url, allow, timeoutMs } = request;
    checkFields(request);
    const address = await this.guard.problemWith(url);
    if (address) throw invalidField('url', `url ${address}`);
    const [stored] = await this.servers.ofNames(tenantId, [name]);
    if (!stored) await this.assertRoom(tenantId);
    const tools = await this.read(name, allow, { url, timeoutMs, headers: headersOf(request, stored) });
    if (!(await this.servers.set(request, tools))) throw new AppError('TOOL_SERVER_CONFLICT');
    return this.get(tenantId, name);
  }

  /** Reads again what a server offers. @throws AppError `TOOL_SERVER_NOT_FOUND`, `TOOL_SERVER_FAILED`, `TOOL_SERVER_CONFLICT` */
  async refresh(request: ChangeToolServerV1): Promise<ToolServer> {
    const { tenantId, name } = request;
    const server = await this.stored(tenantId, name);
    const tools = await this.read(name, server.allow, server);
    if (!(await this.servers.refresh(request, server.revision, tools)))
      throw new AppError('TOOL_SERVER_CONFLICT');
    return this.get(tenantId, name);
  }

  delete(request: ChangeToolServerV1): Promise<void> {
    return this.servers.delete(request);
  }

  /** Finds the tools that models call by these names, as their servers offered them when a person had them read. */
  async ofNames(tenantId: string, names: string[]): Promise<ServerTool[]> {
    const servers = new Set(
      names.filter((name) => name.includes('__')).map((name) => name.split('__')[0] ?? ''),
    );
    const stored = await this.servers.ofNames(tenantId, [...servers]);
    return stored.flatMap((server) => usableTools(server).filter(({ name }) => names.includes(name)));
  }

  private async assertRoom(tenantId: string): Promise<void> {
    if ((await this.servers.list(tenantId)).length < TOOL_SERVERS_MAX) return;
    throw invalidField(
      'name',
      `name must be that of a server you have: ${TOOL_SERVERS_MAX} servers are all you may have`,
    );
  }

  private async read(name: string, allow: string[], access: ServerAccess): Promise<OfferedTool[]> {
    try {
      return offeredTools(name, allow, await this.clients.list(access));
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      throw new AppError('TOOL_SERVER_FAILED', `The MCP server did not list its tools: ${error.code}.`);
    }
  }

  private async stored(tenantId: string, name: string): Promise<StoredServer> {
    const [server] = await this.servers.ofNames(tenantId, [name]);
    if (!server) throw new AppError('TOOL_SERVER_NOT_FOUND');
    return server;
  }
}

/** Returns the headers that go to a server: those that are given, or those that stay. @throws AppError `VALIDATION_FAILED` where these would go to another address. */
function headersOf(
  { url, headers }: SetToolServerV1,
  stored: StoredServer | undefined,
): Record<string, string> {
  if (headers || !stored) return headers ?? {};
  if (stored.headerNames.length > 0 && stored.url !== url)
    throw invalidField('headers', 'headers must be given again, or {}, because url is another one');
  return stored.headers;
}

function usableTools({ tools, readOnly, ...server }: StoredServer): ServerTool[] {
  const { url, headers, headerNames, timeoutMs, revision } = server;
  return tools.flatMap(({ name: serverTool, description, tool: name, parameters }) =>
    name === null || parameters === null
      ? []
      : [
          {
            ...{ name, description, parameters, readOnly: readOnly.includes(serverTool), serverTool },
            ...{ url, headers, headerNames, timeoutMs, revision, needsApproval: false },
          },
        ],
  );
}

/** Says whether a header is one by which the protocol speaks, or a call says which one it is. */
const isOurs = (header: string): boolean =>
  [IDEMPOTENCY_KEY, 'accept', 'last-event-id'].includes(header) || header.startsWith('mcp-');

function checkFields({ name, allow, readOnly, headers = {} }: SetToolServerV1): void {
  const long = allow.findIndex((tool) => calledToolOf(name, tool) === undefined);
  if (long >= 0)
    throw invalidField(
      `allow[${long}]`,
      `allow[${long}] must be so short that ${name}__${allow[long]}, by which models call it, has 64 characters at most`,
    );
  const other = readOnly.findIndex((tool) => !allow.includes(tool));
  if (other >= 0) throw invalidField(`readOnly[${other}]`, `readOnly[${other}] must be one of allow`);
  const ours = Object.keys(headers).find((header) => isOurs(header.toLowerCase()));
  if (ours !== undefined)
    throw invalidField(
      'headers',
      `headers ${JSON.stringify(ours)} must not be given: it is set by the gateway`,
    );
}
