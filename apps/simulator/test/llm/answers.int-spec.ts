import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources';
import { LlmClient } from '../support/llm-client.js';
import { Stack } from '../support/stack.js';

const FIND_ORDER: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'find_order',
    parameters: { type: 'object', properties: { number: { type: 'integer' } } },
  },
};

let stack: Stack;
let client: LlmClient;
beforeAll(async () => {
  stack = await Stack.start();
  client = new LlmClient(stack, 'answers');
});
afterEach(() => client.standIn.forget());
afterAll(() => stack.close());

describe('the stand-in for language models', () => {
  test('tells what was written, with its tokens, and the same again', async () => {
    const answers = [await client.ask('Are you open?'), await client.ask('Are you open?')];
    for (const { model, choices, usage } of answers) {
      expect(model).toBe('stand-in');
      expect(choices).toEqual([
        expect.objectContaining({
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'You wrote: Are you open?', refusal: null },
        }),
      ]);
      expect(usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 6, total_tokens: 14 });
    }
    expect(answers[0]?.id).not.toBe(answers[1]?.id);
  });

  test('streams the same words in pieces, and the tokens at the end where they are asked for', async () => {
    const { usage } = await client.ask('Are you open?');
    const told = await client.stream('Are you open?');
    expect(told).toMatchObject({ text: 'You wrote: Are you open?', finish: 'stop', error: undefined });
    expect(told.usage).toEqual(usage);
    expect((await client.stream('Are you open?', {}, false)).usage).toBeUndefined();
  });

  test('names the parts of a message that are no text', async () => {
    const content = [
      { type: 'text', text: 'Which one?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ] as const;
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: [...content] }];
    expect(await client.words('', { messages })).toBe('You wrote: Which one? (with image_url, image_url)');
  });

  test('answers by the first rule that holds: by text, model, turn, and how often', async () => {
    await client.standIn.answer(
      { when: { text: 'OPEN' }, times: 1, text: 'Until six.' },
      { when: { text: 'open' }, text: 'I told you.' },
      { when: { model: 'stand-in-small' }, text: 'Small answer.' },
      { when: { turn: 2 }, text: 'Second: {text}' },
    );
    expect(await client.words('Are you open?')).toBe('Until six.');
    expect(await client.words('Are you open?')).toBe('I told you.');
    expect(await client.words('Hello', { model: 'stand-in-small' })).toBe('Small answer.');
    const messages: ChatCompletionMessageParam[] = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: '1' },
      { role: 'user', content: '$& two' },
    ];
    expect(await client.words('', { messages })).toBe('Second: $& two');
    expect(await client.words('Hello')).toBe('You wrote: Hello');
    const { body } = await stack.get<{ used: number[] }>('/llm/keys/answers/rules');
    expect(body.used).toEqual([1, 1, 1, 1]);
  });

  test('calls tools, whole and in pieces, and answers their results', async () => {
    const toolCalls = [
      { name: 'find_order', arguments: '{"number": 12345678}' },
      { name: 'find_order', arguments: '{"number": 8}' },
    ];
    await client.standIn.answer({ when: { text: 'order' }, toolCalls });
    const whole = (await client.ask('Where is my order?', { tools: [FIND_ORDER] })).choices[0];
    const asked = whole?.message.tool_calls ?? [];
    expect(whole).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(asked.map((call) => call.type === 'function' && call.function)).toEqual(toolCalls);
    const { calls, finish } = await client.stream('Where is my order?', { tools: [FIND_ORDER] });
    expect(finish).toBe('tool_calls');
    expect(calls).toEqual(toolCalls.map((call, index) => ({ id: asked[index]?.id, ...call })));

    const messages: ChatCompletionMessageParam[] = [
      { role: 'user', content: 'Where is my order?' },
      { role: 'assistant', content: null, tool_calls: asked },
      ...asked.map(({ id }, index) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: `sent ${index}`,
      })),
    ];
    expect(await client.words('', { messages })).toBe(
      'Result of find_order: sent 0\nResult of find_order: sent 1',
    );
    await client.standIn.answer(
      { when: { text: 'order' }, toolCalls },
      { when: { afterTool: 'find_order' }, text: 'It is on its way ({result}).' },
    );
    expect(await client.words('', { messages })).toBe('It is on its way (sent 0\nsent 1).');
    await client.standIn.answer({ when: { afterTool: 'find_order' }, toolCalls });
    const again = (await client.ask('', { messages })).choices[0]?.message.tool_calls;
    expect(again?.map(({ id }) => id)).not.toEqual(asked.map(({ id }) => id));
  });

  test('sends arguments that are no JSON, and an answer of nothing, as they are', async () => {
    await client.standIn.answer(
      { when: { text: 'order' }, toolCalls: [{ name: 'find_order', arguments: '{"number": ' }] },
      { text: '' },
    );
    expect((await client.stream('order')).calls[0]?.arguments).toBe('{"number": ');
    expect(await client.words('Hello')).toBe('');
    expect(await client.stream('Hello')).toMatchObject({ text: '', finish: 'stop', error: undefined });
  });

  test('breaks no letter, wherever one piece ends and the next begins', async () => {
    const toolCalls = [{ name: 'bake', arguments: `{"what": "${'🍞'.repeat(20)}"}` }];
    for (const letters of ['', 'x', 'xx', 'xxx']) {
      const text = letters + '🍞'.repeat(500);
      await client.standIn.answer({ text, toolCalls, pieceMs: 1 });
      expect((await client.ask('Hello')).choices[0]?.message).toMatchObject({
        content: text,
        tool_calls: [{ function: toolCalls[0] }],
      });
      expect(await client.stream('Hello')).toMatchObject({ text, calls: toolCalls });
    }
  });

  test('counts what an earlier turn left in the cache, from 1,024 tokens on', async () => {
    const cached = async (length: number) => {
      const messages: ChatCompletionMessageParam[] = [
        { role: 'system', content: 'x'.repeat(length) },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'And now?' },
      ];
      return (await client.ask('', { messages })).usage?.prompt_tokens_details?.cached_tokens;
    };
    expect(await Promise.all([4_000, 5_000].map(cached))).toEqual([0, 1_152]);
    const first = await client.ask('', { messages: [{ role: 'user', content: 'x'.repeat(9_000) }] });
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  });

  test('tells the tokens of its rule, or none', async () => {
    await client.standIn.answer(
      { when: { text: 'none' }, hidesUsage: true },
      { usage: { promptTokens: 900, cachedTokens: 700 }, text: 'Hi' },
    );
    expect((await client.ask('none')).usage).toBeUndefined();
    expect((await client.stream('none')).usage).toBeUndefined();
    expect((await client.stream('Hello')).usage).toMatchObject({
      ...{ prompt_tokens: 900, completion_tokens: 1, total_tokens: 901 },
      prompt_tokens_details: { cached_tokens: 700 },
    });
  });

  test('ends at the tokens that it may use', async () => {
    await client.standIn.answer({ text: 'x'.repeat(200_000) });
    const { choices, usage } = await client.ask('Hello', { max_completion_tokens: 100 });
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'x'.repeat(400) } });
    expect(usage?.completion_tokens).toBe(100);
    expect((await client.stream('Hello')).text).toHaveLength(200_000);
  });

  test('lists its models', async () => {
    const models = await client.library.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['stand-in', 'stand-in-small', 'stand-in-transcribe']);
  });
});

describe('a request to the stand-in is refused, naming the field,', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'x', arguments: '{}' } };
  const user = { role: 'user', content: 'Hello' };
  const assistant = { role: 'assistant', content: null, tool_calls: [call] };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'done' };
  test.each<[string, object, string]>([
    ['without a model', { model: undefined }, 'model'],
    ['without messages', { messages: [] }, 'messages'],
    ['with messages that are no list', { messages: 'Hello' }, 'messages'],
    ['of a role that nobody has', { messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
    ['with content that is a number', { messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    [
      'with a part without a type',
      { messages: [{ role: 'user', content: [{}] }] },
      'messages[0].content[0].type',
    ],
    ['with a call that has no result', { messages: [user, assistant] }, 'messages'],
    ['with a message before the result', { messages: [user, assistant, user, result] }, 'messages[2].role'],
    ['with a result of no call', { messages: [user, result] }, 'messages[1].tool_call_id'],
    [
      'with two results of a call',
      { messages: [user, assistant, result, result] },
      'messages[3].tool_call_id',
    ],
    [
      'with a tool whose name has a space',
      { tools: [{ function: { name: 'a b' } }] },
      'tools[0].function.name',
    ],
    ['that wants usage without a stream', { stream_options: { include_usage: true } }, 'stream_options'],
    ['that wants two answers', { n: 2 }, 'n'],
    ['that has no room for an answer', { max_tokens: 0 }, 'max_completion_tokens'],
  ])('%s', async (_, request, param) => {
    await expect(client.ask('Hello', request)).rejects.toMatchObject({
      ...{ status: 400, type: 'invalid_request_error', code: 'invalid_value', param },
    });
    expect((await client.standIn.counts()).chat).toMatchObject({
      begun: 1,
      complete: 0,
      refused: 1,
      open: 0,
    });
  });

  test('that is no JSON, too large, or has no such path', async () => {
    const post = (path: string, body: string) =>
      fetch(stack.simulator.llm + path, {
        method: 'POST',
        headers: { authorization: 'Bearer answers' },
        body,
      });
    expect((await post('/chat/completions', '{')).status).toBe(400);
    expect((await post('/chat/completions', ' '.repeat(32 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await post('/embeddings', '{}')).status).toBe(404);
  });
});
