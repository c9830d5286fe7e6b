import {
  DeleteTool,
  invalidField,
  ListTools,
  type RequestContract,
  SetTool,
  type SetToolV1,
  type ToolView,
} from '@svc/contracts';
import type { FakeToolServers } from './fake-tool-servers.js';

type On = <Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
) => void;

/** Tools of tenants, as far as the gateway can tell. */
export class FakeTools {
  private readonly tools = new Map<string, Map<string, ToolView>>();

  constructor(private readonly servers: FakeToolServers) {}

  answer(on: On): void {
    on(ListTools, ({ tenantId }) => ({
      tools: [...this.of(tenantId).values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    on(SetTool, (request) => ({ tool: this.set(request) }));
    on(DeleteTool, ({ tenantId, name }) => {
      this.of(tenantId).delete(name);
      return {};
    });
  }

  assertAll(tenantId: string, names: string[]): void {
    const index = names.findIndex(
      (name) => !this.of(tenantId).has(name) && !this.servers.has(tenantId, name),
    );
    const field = `settings.tools[${index}]`;
    if (index >= 0) throw invalidField(field, `${field} must be the name of a tool you have`);
  }

  private set({ tenantId, actor: _, headers, ...tool }: SetToolV1): ToolView {
    checkFields(tool);
    const before = this.of(tenantId).get(tool.name);
    const { headerNames: stored = [], url, revision = 0 } = before ?? {};
    if (!headers && stored.length > 0 && url !== tool.url)
      throw invalidField('headers', 'headers must be given again');
    const headerNames = headers ? Object.keys(headers) : stored;
    const view = { ...tool, headerNames, revision: revision + 1 };
    this.of(tenantId).set(tool.name, view);
    return view;
  }

  private of(tenantId: string): Map<string, ToolView> {
    const own = this.tools.get(tenantId) ?? new Map<string, ToolView>();
    this.tools.set(tenantId, own);
    return own;
  }
}

function checkFields({ url, parameters }: Pick<SetToolV1, 'url' | 'parameters'>): void {
  if (!url.startsWith('https://')) throw invalidField('url', 'url must be an https address');
  if (parameters['type'] !== 'object')
    throw invalidField('parameters', 'parameters must have the type object');
}
