import { expect } from '@jest/globals';
import { type Answer, gateway } from './gateway.js';

/** Result of a tool. */
export interface ToolResult {
  structuredContent: Record<string, unknown>;
  content: { type: string; text: string }[];
  isError?: true;
}

/** Sends one message as a client of MCP does. */
export function say(
  key: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return gateway.call(key, 'POST /v1/mcp', message, {
    accept: 'application/json, text/event-stream',
    ...headers,
  });
}

/** Asks something, and expects an answer of the protocol. */
export async function ask(
  key: string,
  method: string,
  params: object = {},
): Promise<Record<string, unknown>> {
  const answer = await say(key, { jsonrpc: '2.0', id: 7, method, params });
  expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7 } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return answer.body;
}

/** Lists the names of the tools that a key is shown. */
export async function toolsOf(key: string): Promise<string[]> {
  const { result } = await ask(key, 'tools/list');
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

/** Calls a tool, and expects that its text says the same as its data. */
export async function use(key: string, name: string, given: object = {}): Promise<ToolResult> {
  const { result } = await ask(key, 'tools/call', { name, arguments: given });
  const { structuredContent, content } = result as ToolResult;
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  return result as ToolResult;
}

/** Calls a tool, and expects that it does what it is asked. */
export async function done(key: string, name: string, given: object = {}): Promise<Record<string, unknown>> {
  const { isError, structuredContent } = await use(key, name, given);
  expect([isError, structuredContent]).toEqual([undefined, structuredContent]);
  return structuredContent;
}

/** Calls a tool, and expects a refusal with what to do about it. */
export async function refused(
  key: string,
  name: string,
  given: object = {},
): Promise<Record<string, unknown>> {
  const { isError, structuredContent } = await use(key, name, given);
  expect([isError, structuredContent]).toEqual([
    true,
    expect.objectContaining({ remedy: expect.any(String) }),
  ]);
  expect(JSON.stringify(structuredContent)).not.toMatch(/\.js:|\.ts:|node_modules/);
  return structuredContent;
}
