import {
  AppError,
  calledToolOf,
  DeleteToolServer,
  GetToolServer,
  invalidField,
  ListToolServers,
  type OfferedTool,
  RefreshToolServer,
  type RequestContract,
  SetToolServer,
  type SetToolServerV1,
  type ToolServer,
} from '@svc/contracts';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

/** Says in the address of a server that its list cannot be read. */
const FAILS = '/fails';

/** MCP servers of tenants, as far as the gateway can tell: each offers `find_order`. */
export class FakeToolServers {
  private readonly servers = new Map<string, Map<string, ToolServer>>();

  answer(on: On): void {
    on(ListToolServers, ({ tenantId }) => ({
      servers: [...this.of(tenantId).values()]
        .map(({ tools: _, ...server }) => server)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    on(GetToolServer, ({ tenantId, name }) => ({ server: this.serverOf(tenantId, name) }));
    on(SetToolServer, (request) => ({ server: this.set(request) }));
    on(RefreshToolServer, ({ tenantId, name }) => {
      const server = this.serverOf(tenantId, name);
      return { server: this.keep(tenantId, { ...server, revision: server.revision + 1 }) };
    });
    on(DeleteToolServer, ({ tenantId, name }) => {
      this.of(tenantId).delete(name);
      return {};
    });
  }

  /** Says whether models may call a tool by this name. */
  has(tenantId: string, called: string): boolean {
    return [...this.of(tenantId).values()].some(({ tools }) => tools.some(({ tool }) => tool === called));
  }

  private set({ tenantId, actor: _, headers, ...server }: SetToolServerV1): ToolServer {
    checkFields(server);
    const before = this.of(tenantId).get(server.name);
    const { headerNames: stored = [], url, revision = 0 } = before ?? {};
    if (!headers && stored.length > 0 && url !== server.url)
      throw invalidField('headers', 'headers must be given again');
    if (server.url.endsWith(FAILS)) throw new AppError('TOOL_SERVER_FAILED');
    return this.keep(tenantId, {
      ...{ ...server, headerNames: headers ? Object.keys(headers) : stored, revision: revision + 1 },
      ...{ readAt: new Date().toISOString(), tools: server.allow.map((tool) => offered(server.name, tool)) },
    });
  }

  private keep(tenantId: string, server: ToolServer): ToolServer {
    this.of(tenantId).set(server.name, server);
    return server;
  }

  private serverOf(tenantId: string, name: string): ToolServer {
    const server = this.of(tenantId).get(name);
    if (!server) throw new AppError('TOOL_SERVER_NOT_FOUND');
    return server;
  }

  private of(tenantId: string): Map<string, ToolServer> {
    const own = this.servers.get(tenantId) ?? new Map<string, ToolServer>();
    this.servers.set(tenantId, own);
    return own;
  }
}

function checkFields({
  name,
  url,
  allow,
  readOnly,
}: Pick<SetToolServerV1, 'name' | 'url' | 'allow' | 'readOnly'>): void {
  if (!url.startsWith('https://') && !url.startsWith('http://127.0.0.1:'))
    throw invalidField('url', 'url must be an https address');
  const long = allow.findIndex((tool) => calledToolOf(name, tool) === undefined);
  if (long >= 0) throw invalidField(`allow[${long}]`, `allow[${long}] must be shorter`);
  const other = readOnly.findIndex((tool) => !allow.includes(tool));
  if (other >= 0) throw invalidField(`readOnly[${other}]`, `readOnly[${other}] must be one of allow`);
}

function offered(server: string, name: string): OfferedTool {
  const tool = calledToolOf(server, name);
  if (name !== 'find_order' || tool === undefined)
    return {
      ...{ name, description: '', usable: false, tool: null, parameters: null },
      problem: 'The server does not offer it.',
    };
  const parameters = { type: 'object', properties: {} };
  return { name, description: 'Finds an order.', usable: true, tool, problem: null, parameters };
}
