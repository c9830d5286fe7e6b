import { randomUUID } from 'node:crypto';
import {
  AppError,
  ApproveToolCall,
  type DecideToolCallV1,
  DeleteTool,
  invalidField,
  type ListedCall,
  ListToolCalls,
  ListTools,
  RefuseToolCall,
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

interface KeptCall extends ListedCall {
  end?: 'CALLED' | 'REFUSED';
}

/** Tools of tenants, and calls of them that wait, as far as the gateway can tell. */
export class FakeTools {
  private readonly tools = new Map<string, Map<string, ToolView>>();
  private readonly calls = new Map<string, KeptCall>();

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
    this.answerCalls(on);
  }

  /** Has a call of a tool wait for a person. */
  addCall(tenantId: string, sessionId: string, said: Record<string, unknown>): ListedCall {
    const now = Date.now();
    const times = {
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 86_400_000).toISOString(),
    };
    const chat = '4915112345678@s.whatsapp.net';
    const call = {
      ...{ id: randomUUID(), place: String(this.calls.size + 1), tenantId, sessionId, turnId: randomUUID() },
      ...{ chat, tool: 'refund_order', arguments: said, state: 'WAITING' as const, ...times },
    };
    this.calls.set(call.id, { ...call });
    return call;
  }

  private answerCalls(on: On): void {
    on(ListToolCalls, ({ tenantId, sessionId, limit, before = '1000000' }) => {
      const own = [...this.calls.values()].filter(
        (one) => one.tenantId === tenantId && !one.end && Number(one.place) < Number(before),
      );
      const wanted = own.filter((one) => !sessionId || one.sessionId === sessionId).toReversed();
      return { calls: wanted.slice(0, limit), isCut: false };
    });
    on(ApproveToolCall, (request) => {
      const call = this.callOf(request);
      if (call.end === 'REFUSED') throw new AppError('TOOL_CALL_CONFLICT', 'It was refused.');
      call.end = 'CALLED';
      return { id: call.id, state: call.end, outcome: 'DONE' };
    });
    on(RefuseToolCall, (request) => {
      const call = this.callOf(request);
      if (call.end === 'CALLED') throw new AppError('TOOL_CALL_CONFLICT', 'It was approved.');
      call.end = 'REFUSED';
      return {};
    });
  }

  private callOf({ tenantId, callId }: DecideToolCallV1): KeptCall {
    const call = this.calls.get(callId);
    if (!call) throw new AppError('TOOL_CALL_NOT_FOUND');
    if (call.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return call;
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

function checkFields({
  url,
  parameters,
  readOnly,
  needsApproval,
}: Pick<SetToolV1, 'url' | 'parameters' | 'readOnly' | 'needsApproval'>): void {
  if (readOnly && needsApproval)
    throw invalidField('needsApproval', 'needsApproval must be false where readOnly is true');
  if (!url.startsWith('https://')) throw invalidField('url', 'url must be an https address');
  if (parameters['type'] !== 'object')
    throw invalidField('parameters', 'parameters must have the type object');
}
