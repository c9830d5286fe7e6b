import type { ToolCallState } from '@svc/contracts';
import type { ModelMessage } from '../answers/model.js';

/** Outcome of a call that its tool has answered. */
export const DONE = 'DONE';

/** A call of a tool on which a person has decided, and which the model has not heard of. */
export interface DecidedCall {
  id: string;
  tool: string;
  /** Arguments as JSON. */
  arguments: string;
  state: ToolCallState;
  outcome: string | null;
  answer: string | null;
  decidedAt: Date;
}

/** Makes the messages by which the model hears what came of calls: as if it had made them just now. */
export function messagesOf(calls: DecidedCall[]): ModelMessage[] {
  if (calls.length === 0) return [];
  const wanted = calls.map(({ id, tool: name, arguments: said }) => ({
    ...{ id, type: 'function' as const, function: { name, arguments: said } },
  }));
  return [
    { role: 'assistant', content: null, tool_calls: wanted },
    ...calls.map((call) => ({ role: 'tool' as const, tool_call_id: call.id, content: wordsOf(call) })),
  ];
}

function wordsOf({ tool, state, outcome, answer }: DecidedCall): string {
  if (state === 'REFUSED') return `${tool} was refused by a person of the business: it was not called.`;
  if (outcome !== DONE || answer === null)
    return `${tool} was approved by a person of the business, and has failed. Do not call it again with the same arguments.`;
  return `${tool} was approved by a person of the business, and answered: ${answer}`;
}
