import { Injectable } from '@nestjs/common';
import { type AssistantMode, conversationIdOf } from '@svc/contracts';
import { v5 as uuidv5 } from 'uuid';
import { ModelFailure, Models, type ToolCall } from '../answers/model.js';
import { postForText } from '../brains/post.js';
import { IDEMPOTENCY_KEY } from '../idempotency-key.js';
import { argumentsOf } from '../parameters.js';
import { storable } from '../storable.js';
import { McpClients } from '../tool-servers/mcp-clients.js';
import { ApprovalRequests } from './approval-requests.repository.js';
import { DONE } from './decided-calls.js';
import type { Tool } from './tool.repository.js';
import { type CallingTurn, ToolCallRepository } from './tool-call.repository.js';

/** Most characters of an answer that the model reads. */
const ANSWER_MAX = 8_000;
/** Outcome of a call on which a person decides, and what the model reads of it. */
const WAITS = 'WAITS_FOR_APPROVAL';
const WAITING_WORDS =
  'It waits for a person of the business to approve it. Tell the contact that somebody looks at it; do not say that it is done.';

/** The contact for whom a tool is called. */
export interface CallingContact {
  tenantId: string;
  sessionId: string;
  chat: string;
  phone: string | null;
}

/** The turn in which tools are called, and whose it is. */
export interface TurnOfTools extends CallingTurn, CallingContact {
  mode: AssistantMode | null;
}

/** Outcome of a call for the turn list, and what the model reads. */
export interface Outcome {
  code: string;
  words: string;
}

/**
 * This service calls the tools of tenants. A call that is made again, after a process has died or because messages have come, has the same id and
 * arguments: one that was answered is not made again, and any other carries the same idempotency key.
 */
@Injectable()
export class ToolCallsService {
  constructor(
    private readonly calls: ToolCallRepository,
    private readonly approvals: ApprovalRequests,
    private readonly models: Models,
    private readonly clients: McpClients,
  ) {}

  /** Calls a tool as the model wants. @returns what the model reads; undefined where the turn is somebody else's by now. */
  async answer(
    turn: TurnOfTools,
    tools: Tool[],
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const tool = tools.find(({ name }) => name === call.name);
    if (!tool) return failed('There is no such tool.');
    const read = argumentsOf(tool.parameters, call.arguments);
    const said = 'values' in read ? JSON.stringify(read.values) : call.arguments;
    const id = uuidv5(`${tool.name} ${said}`, turn.id);
    const kept = await this.calls.begin(id, turn, tool.name);
    if (!kept) return undefined;
    if (kept.outcome === DONE && kept.answer !== null) return kept.answer;
    const outcome = await this.outcomeOf(turn, tool, id, read, signal);
    await this.calls.end(id, outcome.code, outcome.code === DONE ? outcome.words : null);
    return outcome.words;
  }

  private async outcomeOf(
    turn: TurnOfTools,
    tool: Tool,
    id: string,
    read: ReturnType<typeof argumentsOf>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if ('problem' in read)
      return { code: 'BAD_ARGUMENTS', words: failed(`It was not called: ${read.problem}`) };
    if (!tool.readOnly && turn.mode !== 'auto')
      return {
        code: 'NOT_IN_THIS_MODE',
        words: failed('It was not called: a person of the business does this.'),
      };
    if (tool.needsApproval) return this.askPerson(turn, tool, id, read.values);
    return this.call(turn, tool, id, read.values, signal);
  }

  /** Calls a tool with arguments that are right. What fails is an outcome, too. */
  async call(
    contact: CallingContact,
    tool: Tool,
    id: string,
    values: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      const answer = await this.ask(contact, tool, id, values, signal);
      return { code: DONE, words: storable(answer.slice(0, ANSWER_MAX)) || 'Done.' };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelFailure)) throw error;
      return {
        code: error.code,
        words: failed('It has failed. Do not call it again with the same arguments.'),
      };
    }
  }

  private async askPerson(turn: TurnOfTools, tool: Tool, id: string, values: object): Promise<Outcome> {
    const asked = await this.approvals.ask(id, turn, tool.name, values);
    if (!asked) return { code: 'TOOL_CHANGED', words: failed('There is no such tool any more.') };
    if (asked.state === 'WAITING' || asked.state === 'CALLING') return { code: WAITS, words: WAITING_WORDS };
    const words = failed('A person has decided on it: do not call it again with the same arguments.');
    return { code: asked.outcome ?? asked.state, words };
  }

  /** @throws ModelFailure */
  private ask(
    { tenantId, sessionId, chat, phone }: CallingContact,
    { name, url, headers, timeoutMs, serverTool }: Tool,
    id: string,
    values: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<string> {
    // The contact is named by the gateway, and never by the model.
    const contact = {
      ...{ sessionId, conversationId: conversationIdOf({ tenantId, sessionId, contact: chat }) },
      ...{ chatId: chat, phone },
    };
    if (serverTool !== undefined) {
      const call = { tool: serverTool, values, meta: { callId: id, ...contact } };
      return this.clients.call({ url, headers, timeoutMs }, call, signal);
    }
    const body = { callId: id, tool: name, arguments: values, ...contact };
    const dispatcher = this.models.dispatcherFor({ isOperators: false });
    const options = { headers: { ...headers, [IDEMPOTENCY_KEY]: id }, dispatcher, timeoutMs, signal };
    return postForText(url, body, options);
  }
}

const failed = (problem: string): string => JSON.stringify({ error: problem });
