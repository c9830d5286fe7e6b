import { Injectable } from '@nestjs/common';
import type { SubscriptionState } from '@svc/contracts';
import type { ModelAnswer, ModelMessage, ToolCall } from '../answers/model.js';
import { HAND_OVER, toolsOf } from '../answers/prompt.js';
import type { Tool } from '../tools/tool.repository.js';
import { ToolCallsService } from '../tools/tool-calls.service.js';
import { CallRepository } from './call.repository.js';
import { type CallOutcome, ModelCallsService, type TurnQuestion } from './model-calls.service.js';
import type { Turn } from './turn.js';

/** Most questions to the model in a turn: in the last one it has no tools any more, and has to answer. */
const MOST_ROUNDS = 5;
/** Most tools that are called after one answer. */
const MOST_CALLS = 4;

/** This service asks the model of a turn, and again with what tools have answered that it has called. */
@Injectable()
export class RoundsService {
  constructor(
    private readonly modelCalls: ModelCallsService,
    private readonly toolCalls: ToolCallsService,
    private readonly calls: CallRepository,
  ) {}

  /** Asks until the model answers without calling a tool. Each answer is accounted for. */
  async ask(
    turn: Turn,
    question: Omit<TurnQuestion, 'tools'>,
    tools: Tool[],
    subscription: SubscriptionState,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const messages = [...question.messages];
    for (let left = MOST_ROUNDS - 1; ; left -= 1) {
      const offered = left > 0 ? tools : [];
      const asked = { ...question, messages, tools: toolsOf(offered) };
      const outcome = await this.modelCalls.ask(turn, asked, subscription, signal);
      if (outcome === 'gone' || !('call' in outcome) || offered.length === 0) return outcome;
      const { answer, call } = outcome;
      if (isLast(answer)) return outcome;
      await this.calls.account(turn, call);
      const answers = await this.answersOf(turn, tools, answer, signal);
      if (!answers) return 'gone';
      messages.push(...answers);
    }
  }

  /** Calls the tools one after the other, in the order in which the model named them. */
  private async answersOf(
    turn: Turn,
    tools: Tool[],
    { text, toolCalls }: ModelAnswer,
    signal: AbortSignal,
  ): Promise<ModelMessage[] | undefined> {
    const calls = toolCalls
      .slice(0, MOST_CALLS)
      .map((call, index) => ({ ...call, id: call.id || `call_${index}` }));
    const messages: ModelMessage[] = [
      { role: 'assistant', content: text === '' ? null : text, tool_calls: calls.map(wireOf) },
    ];
    for (const call of calls) {
      const content = await this.toolCalls.answer(turn, tools, call, signal);
      if (content === undefined) return undefined;
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
    return messages;
  }
}

/** Says whether an answer is for the contact: it calls no tool, or hands the conversation over. */
const isLast = ({ toolCalls }: ModelAnswer): boolean =>
  toolCalls.length === 0 || toolCalls.some(({ name }) => name === HAND_OVER);

/** Writes a call as a server takes it back: some refuse arguments that are no JSON, though a model has said them. */
function wireOf({ id, name, arguments: said }: ToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: isJson(said) ? said : '{}' } };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
