import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ApprovedCall,
  type DecideToolCallV1,
  GetSession,
  type ListToolCallsV1,
  type ToolCallsReply,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { modeFor } from '../settings/mode.js';
import { SettingsService } from '../settings/settings.service.js';
import { type Tool, ToolRepository } from '../tools/tool.repository.js';
import { ToolCallsService } from '../tools/tool-calls.service.js';
import { TurnRunner } from '../turns/turn-runner.js';
import { withinBytes } from '../within-bytes.js';
import type { Approval } from './approval.js';
import { ApprovalRepository } from './approval.repository.js';

/** Words for why a call is not made. */
const NOT_MADE = {
  off: 'The assistant of the session is off: nothing was called.',
  external: 'The session is EXTERNAL, and not answered by the assistant: nothing was called.',
  unnamed: 'The settings of the session do not name the tool any more: nothing was called.',
  changed: 'The tool has changed since the model wanted to call it: nothing was called. Refuse the call.',
  refused: 'It was refused.',
};

/** Material of a call that may be made. */
interface Allowed {
  tool: Tool;
  /** Answers are sent by themselves: the contact hears of it without that anybody writes. */
  isAuto: boolean;
}

/** This service has people decide on calls of tools: each that is approved is made once, and then the contact hears of it. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly tools: ToolRepository,
    private readonly calls: ToolCallsService,
    private readonly settings: SettingsService,
    private readonly rpc: RpcClient,
    private readonly runner: TurnRunner,
  ) {}

  async list(request: ListToolCallsV1): Promise<ToolCallsReply> {
    const found = await this.approvals.list(request);
    const { rows: calls, isCut } = withinBytes(found, (call) => call);
    return { calls, isCut };
  }

  /**
   * Makes a call. One that was made is not made again; one that was cut off is, under the same key.
   * @throws AppError `TOOL_CALL_NOT_FOUND`, `FORBIDDEN`, `TOOL_CALL_CONFLICT`, or as the session is not found.
   */
  async approve(request: DecideToolCallV1): Promise<ApprovedCall> {
    const found = await this.owned(request);
    if (found.state === 'CALLED' || found.state === 'REFUSED') return madeBefore(found);
    const { tool, isAuto } = await this.assertAllowed(found);
    const begun = await this.approvals.begin(found, request.actor);
    if (!begun) return madeBefore(await this.owned(request));
    const values = JSON.parse(begun.arguments ?? '{}') as Record<string, unknown>;
    const outcome = await this.calls.call(begun, tool, begun.id, values, new AbortController().signal);
    const turnId = await this.approvals.settle(begun, outcome, isAuto);
    if (turnId === false) return madeBefore(await this.owned(request));
    if (turnId) this.runner.wake(turnId, 0);
    return { id: begun.id, state: 'CALLED', outcome: outcome.code };
  }

  /** @throws AppError `TOOL_CALL_NOT_FOUND`, `FORBIDDEN`, `TOOL_CALL_CONFLICT` */
  async refuse(request: DecideToolCallV1): Promise<void> {
    const found = await this.owned(request);
    if (found.state === 'REFUSED' || (await this.approvals.refuse(found, request.actor))) return;
    const { state } = await this.owned(request);
    if (state !== 'REFUSED') throw conflict('It was approved.');
  }

  /** @throws AppError `TOOL_CALL_CONFLICT` where the model could not make the call at this moment, either. */
  private async assertAllowed(approval: Approval): Promise<Allowed> {
    const { tenantId, sessionId, chat, tool: name } = approval;
    const published = await this.settings.published(approval);
    const mode = published ? modeFor(chat, published.settings) : 'off';
    if (!published || mode === 'off') throw conflict(NOT_MADE.off);
    const { session } = await this.rpc.request(GetSession, { tenantId, sessionId });
    if (session.botMode !== 'MANAGED') throw conflict(NOT_MADE.external);
    if (!published.settings.tools.includes(name)) throw conflict(NOT_MADE.unnamed);
    const [tool] = await this.tools.ofNames(tenantId, [name]);
    if (!tool) throw conflict(NOT_MADE.changed);
    return { tool, isAuto: mode === 'auto' };
  }

  private async owned({ callId, tenantId }: DecideToolCallV1): Promise<Approval> {
    const approval = await this.approvals.find(callId);
    if (!approval) throw new AppError('TOOL_CALL_NOT_FOUND');
    if (approval.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return approval;
  }
}

/** Says what became of a call that this approval has not made. @throws AppError `TOOL_CALL_CONFLICT` where it was not made. */
function madeBefore({ id, state, outcome }: Approval): ApprovedCall {
  if (state === 'REFUSED') throw conflict(NOT_MADE.refused);
  if (state === 'WAITING') throw conflict(NOT_MADE.changed);
  return { id, state, outcome };
}

const conflict = (words: string): AppError => new AppError('TOOL_CALL_CONFLICT', words);
