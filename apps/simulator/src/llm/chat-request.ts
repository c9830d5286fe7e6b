import { must } from './llm-error.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
const TOOL_NAME = /^[\w-]{1,64}$/;

type Json = Record<string, unknown>;

/** A call of a tool that a model asks for. */
export interface ToolCall {
  id: string;
  name: string;
  /** Text that should be JSON. */
  arguments: string;
}

export interface ChatMessage {
  role: (typeof ROLES)[number];
  text: string;
  /** Types of its parts that are no text, as `image_url`. */
  files: string[];
  toolCalls: ToolCall[];
  /** Call whose result it is. */
  toolCallId: unknown;
}

/** A tool that a request offers to the model. */
export interface ToolOffer {
  name: string;
  /** JSON schema of its arguments. */
  parameters: Json;
}

/** Parts of a request for an answer that the stand-in reads; it ignores all others. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools: ToolOffer[];
  stream: boolean;
  /** Wish for the numbers of tokens at the end of a stream. */
  includesUsage: boolean;
  mostTokens: number | undefined;
}

/** Reads a request for an answer. @throws LlmError that names the field and its rule */
export function chatRequestOf(body: unknown): ChatRequest {
  must(isJson(body), 'body', 'must be an object');
  const { stream_options: options, n } = body;
  const stream = body['stream'] === true;
  must(
    options == null || (stream && isJson(options)),
    'stream_options',
    'must be an object, with stream alone',
  );
  must(n == null || n === 1, 'n', 'must be 1: one answer is all that the stand-in gives');
  const messages = listOf(body['messages'], 'messages').map(messageOf);
  must(messages.length > 0, 'messages', 'must not be empty');
  checkResults(messages);
  return {
    model: modelOf(body['model']),
    messages,
    tools: listOf(body['tools'] ?? [], 'tools').map(toolOf),
    stream,
    includesUsage: options?.['include_usage'] === true,
    mostTokens: mostTokensOf(body['max_completion_tokens'] ?? body['max_tokens'] ?? undefined),
  };
}

/** Reads the name of a model: any is known. */
export function modelOf(model: unknown): string {
  must(
    typeof model === 'string' && model !== '' && model.length <= 200,
    'model',
    'must be 1 to 200 characters',
  );
  return model;
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listOf(value: unknown, param: string): unknown[] {
  must(Array.isArray(value), param, 'must be a list');
  return value;
}

function mostTokensOf(value: unknown): number | undefined {
  const isCount = value === undefined || (Number.isInteger(value) && Number(value) > 0);
  must(isCount, 'max_completion_tokens', 'must be a whole number above 0');
  return value as number | undefined;
}

function messageOf(message: unknown, at: number): ChatMessage {
  const param = `messages[${at}]`;
  must(isJson(message), param, 'must be an object');
  const role = ROLES.find((one) => one === message['role']);
  must(role !== undefined, `${param}.role`, `must be one of ${ROLES.join(', ')}`);
  const calls = listOf(message['tool_calls'] ?? [], `${param}.tool_calls`);
  return {
    role,
    ...contentOf(message['content'] ?? '', `${param}.content`),
    toolCalls: calls.map((call, index) => toolCallOf(call, `${param}.tool_calls[${index}]`)),
    toolCallId: message['tool_call_id'],
  };
}

function contentOf(content: unknown, param: string): Pick<ChatMessage, 'text' | 'files'> {
  if (typeof content === 'string') return { text: content, files: [] };
  const parts = listOf(content, param).map((part, index) => {
    must(isJson(part) && typeof part['type'] === 'string', `${param}[${index}].type`, 'must be text');
    return part;
  });
  const isText = ({ type, text }: Json): boolean => type === 'text' && typeof text === 'string';
  return {
    text: parts.flatMap((part) => (isText(part) ? String(part['text']) : [])).join('\n'),
    files: parts.flatMap((part) => (isText(part) ? [] : String(part['type']))),
  };
}

function toolCallOf(call: unknown, param: string): ToolCall {
  const asked = isJson(call) ? call['function'] : undefined;
  must(isJson(call) && isJson(asked), `${param}.function`, 'must be an object');
  const { name, arguments: text } = asked;
  must(typeof call['id'] === 'string', `${param}.id`, 'must be text');
  must(
    typeof name === 'string' && typeof text === 'string',
    `${param}.function`,
    'must have name and arguments',
  );
  return { id: call['id'], name, arguments: text };
}

function toolOf(tool: unknown, at: number): ToolOffer {
  const param = `tools[${at}].function`;
  const offered = isJson(tool) ? tool['function'] : undefined;
  must(isJson(offered), param, 'must be an object');
  const { name, parameters = {} } = offered;
  must(typeof name === 'string' && TOOL_NAME.test(name), `${param}.name`, `must match ${TOOL_NAME.source}`);
  must(isJson(parameters), `${param}.parameters`, 'must be a JSON schema');
  return { name, parameters };
}

/** Refuses a conversation in which a call of a tool has no result, or a result no call, as providers do. */
function checkResults(messages: ChatMessage[]): void {
  let open = new Set<unknown>();
  for (const [at, { role, toolCalls, toolCallId }] of messages.entries()) {
    if (role === 'tool')
      must(
        open.delete(toolCallId),
        `messages[${at}].tool_call_id`,
        'must name an open call of the assistant',
      );
    else {
      must(open.size === 0, `messages[${at}].role`, 'must be tool: a call before it has no result');
      open = new Set(toolCalls.map(({ id }) => id));
    }
  }
  must(open.size === 0, 'messages', 'must end with a result for each call of a tool');
}
