import {
  ApproveToolCall,
  type AssistantSettings,
  ListToolCalls,
  type ListedCall,
  ListTurns,
  RefuseToolCall,
  SetTool,
  type SetToolV1,
} from '@svc/contracts';
import { aContact, Scene, type Shop } from './scene.js';
import { ToolServer } from './tool-server.js';

/** Name of the tool that needs approval. */
export const NAME = 'refund_order';
/** Code of a call that cannot be decided on like that, and of one that is not there. */
export const CONFLICT = { code: 'TOOL_CALL_CONFLICT' };
export const NOT_FOUND = { code: 'TOOL_CALL_NOT_FOUND' };
/** Actor who decides. */
export const actor = 'key:of-a-person';

/** Makes rules of a model that refunds when it is first asked, and tells what comes of it. */
export const rulesOf = (number: string): object[] => [
  { times: 1, toolCalls: [{ name: NAME, arguments: JSON.stringify({ number }) }] },
  { when: { afterTool: NAME }, text: 'Told: {result}' },
  { text: 'Hello.' },
];

/** Shops whose model may refund after approval, and the program that does it. */
export class Refunds {
  private constructor(
    readonly scene: Scene,
    readonly server: ToolServer,
  ) {}

  static async start(): Promise<Refunds> {
    const refunds = new Refunds(...(await Promise.all([Scene.start(), ToolServer.start()])));
    refunds.reset();
    return refunds;
  }

  /** Has all around the assistant be as it was. */
  reset(): void {
    this.server.answer = () => ({ text: '{"refunded":true}' });
    this.scene.around.botMode = 'MANAGED';
    this.scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
  }

  async stop(): Promise<void> {
    await Promise.all([this.scene.stop(), this.server.stop()]);
  }

  /** Sets the tool. */
  set(tenantId: string, fields: Partial<SetToolV1> = {}) {
    return this.rpc.request(SetTool, {
      ...{ tenantId, name: NAME, actor, description: 'Refunds an order.', url: this.server.url },
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      ...{ readOnly: false, needsApproval: true, timeoutMs: 2_000, ...fields },
    });
  }

  /** Makes a session whose model may refund. */
  async shop(settings: Partial<AssistantSettings> = {}): Promise<Shop> {
    const shop = await this.scene.shop();
    await this.set(shop.tenantId);
    await shop.settings({ tools: [NAME], ...settings });
    return shop;
  }

  async waiting({ tenantId, sessionId }: Shop): Promise<ListedCall[]> {
    return (await this.rpc.request(ListToolCalls, { tenantId, sessionId, limit: 10 })).calls;
  }

  approve({ tenantId }: Shop, { id: callId }: { id: string }) {
    return this.rpc.request(ApproveToolCall, { tenantId, callId, actor });
  }

  refuse({ tenantId }: Shop, { id: callId }: { id: string }) {
    return this.rpc.request(RefuseToolCall, { tenantId, callId, actor });
  }

  textsOf({ sessionId }: Shop): string[] {
    return this.scene.around.textsOf(sessionId);
  }

  /** Lists the turns of a session, newest first: the outcome of each, and those of its calls. */
  async outcomesOf({ tenantId, sessionId }: Shop) {
    const { turns } = await this.rpc.request(ListTurns, { tenantId, sessionId, limit: 10 });
    return turns.map(({ outcome, toolCalls }) => [outcome, ...toolCalls.map((call) => call.outcome)]);
  }

  rowsOf({ tenantId }: Shop): Promise<{ state: string; arguments: string | null; answer: string | null }[]> {
    return this.scene.service.database.query(
      `SELECT state, arguments, answer FROM assistant.approval WHERE tenant_id = '${tenantId}'`,
    );
  }

  /** A contact asks for a refund, and the call waits. */
  async wanted(shop: Shop, chat = aContact(), number = '7'): Promise<ListedCall> {
    await this.scene.model.rules(shop.key, rulesOf(number));
    await shop.write(chat, `Refund order ${number}.`, { phone: '+4915112345678' });
    await shop.ended(chat);
    const call = (await this.waiting(shop)).find((one) => one.chat === chat);
    if (!call) throw new Error('No call waits.');
    return call;
  }

  private get rpc() {
    return this.scene.service.rpc;
  }
}
