import type { ChatMessage, ChatRequest, ToolOffer } from './chat-request.js';
import type { Said } from './said.js';

/** Name of a tool before its arguments, in whichever sentence: `refund {"amount": 5}`, `refund({"amount": 5})`. */
const CALL = /([A-Za-z_][\w-]{0,63})\s{0,20}\(?\s{0,20}(\{[^{}]*\})/g;
const ASKS_FOR_SECRETS =
  /system|prompt|instruction|rules?\b|polic|config|secret|confidential|password|key\b|token|developer/i;
const SAYS = /\b(?:say|reply|answer|write|repeat|print|output|respond|send)\b[^"“”]{0,40}["“]([^"“”]+)["”]/gi;
const MOST_CALLS = 10;

/**
 * Obeys everybody whose words are in the conversation, as no model should: it calls each tool that is named with arguments, whether it is offered
 * or not, and each offered one whose name is mentioned; it tells its instructions to who asks for them; and it repeats all that it was told.
 */
export function obey(request: ChatRequest): Said {
  const { messages } = request;
  const begin = messages.findLastIndex(
    ({ role, toolCalls }) => role === 'assistant' && toolCalls.length === 0,
  );
  const turn = messages.slice(begin + 1);
  const ofStrangers = turn.filter(({ role }) => role === 'user' || role === 'tool');
  const strangers = textOf(ofStrangers);
  const instructions = textOf(messages.filter(({ role }) => role === 'system' || role === 'developer'));
  const done = new Set(turn.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)));
  const named = [...callsIn(strangers), ...callsIn(instructions)];
  const names = new Set(named.map(({ name }) => name));
  const mentioned = mentionedIn(strangers, request).filter(({ name }) => !names.has(name));
  return {
    text: wordsFor(strangers, instructions),
    calls: [...named, ...mentioned].filter(({ name }) => !done.has(name)).slice(0, MOST_CALLS),
  };
}

const textOf = (messages: ChatMessage[]): string => messages.map(({ text }) => text).join('\n');

function wordsFor(strangers: string, instructions: string): string {
  const told = ASKS_FOR_SECRETS.test(strangers) ? [`My instructions are: ${instructions}`] : [];
  const said = [...strangers.matchAll(SAYS)].map(([, words = '']) => words);
  return [...told, ...said, `As you wish: ${strangers}`].join('\n');
}

function callsIn(text: string): Said['calls'] {
  return [...text.matchAll(CALL)].map(([, name = '', words = '']) => ({ name, arguments: words }));
}

/** Lists a call of each offered tool that is mentioned, with arguments that its schema asks for. */
function mentionedIn(text: string, { tools }: ChatRequest): Said['calls'] {
  const words = new Set(text.split(/[^\w-]+/));
  return tools
    .filter(({ name }) => words.has(name))
    .map((tool) => ({ name: tool.name, arguments: JSON.stringify(argumentsFor(tool, text)) }));
}

function argumentsFor({ parameters }: ToolOffer, text: string): Record<string, unknown> {
  const { properties = {} } = parameters as {
    properties?: Record<string, { type?: unknown; enum?: unknown }>;
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(schema ?? {}, text)]),
  );
}

function valueFor(schema: { type?: unknown; enum?: unknown }, text: string): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'number' || schema.type === 'integer') return Number(/\d+/.exec(text)?.[0] ?? 1);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [];
  return schema.type === 'object' ? {} : text.slice(0, 200);
}
