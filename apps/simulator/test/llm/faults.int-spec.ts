import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { LlmClient } from '../support/llm-client.js';
import { until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const AN_HOUR_MS = 3_600_000;

let stack: Stack;
let client: LlmClient;
beforeAll(async () => {
  stack = await Stack.start();
  client = new LlmClient(stack, 'faults');
});
afterEach(() => client.standIn.forget());
afterAll(() => stack.close());

const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('it was answered')),
    (error: InstanceType<typeof OpenAI.APIError>) => error,
  );

describe('the stand-in for language models, on demand,', () => {
  test.each([
    [401, OpenAI.AuthenticationError, 'invalid_api_key'],
    [404, OpenAI.NotFoundError, 'not_found'],
    [429, OpenAI.RateLimitError, 'rate_limit_exceeded'],
    [500, OpenAI.InternalServerError, null],
    [503, OpenAI.InternalServerError, null],
  ])('refuses with %i', async (status, kind, code) => {
    await client.standIn.answer({ error: { status } });
    const refused = await refusalOf(client.ask('Hello'));
    expect(refused).toBeInstanceOf(kind);
    expect(refused).toMatchObject({ status, code });
    expect(refused.headers?.has('retry-after')).toBe(false);
    expect((await client.standIn.counts()).chat).toMatchObject({ begun: 1, refused: 1, complete: 0 });
  });

  test('says in which words it refuses, and when to come again', async () => {
    const error = { status: 429, code: 'insufficient_quota', message: 'No credit.', retryAfterSeconds: 7 };
    await client.standIn.answer({ error });
    const refused = await refusalOf(client.ask('Hello'));
    expect(refused).toMatchObject({ code: 'insufficient_quota', error: { message: 'No credit.' } });
    expect(refused.headers?.get('retry-after')).toBe('7');
  });

  test('refuses once, so that who tries again is answered', async () => {
    await client.standIn.answer({ times: 1, error: { status: 429, retryAfterSeconds: 0 } });
    const patient = client.library.withOptions({ maxRetries: 1 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const { choices } = await patient.chat.completions.create({ model: 'stand-in', messages });
    expect(choices[0]?.message.content).toBe('You wrote: Hello');
    expect((await client.standIn.counts()).chat).toMatchObject({ begun: 2, refused: 1, complete: 1 });
  });

  test('refuses a model, and answers for another one', async () => {
    await client.standIn.answer({ when: { model: 'stand-in' }, error: { status: 500 } });
    await expect(client.ask('Hello')).rejects.toMatchObject({ status: 500 });
    expect(await client.words('Hello', { model: 'stand-in-small' })).toBe('You wrote: Hello');
  });

  test.each([
    ['after two pieces', 2, 'One two ', 'terminated'],
    ['after all pieces, before the end', 100, 'One two three', 'terminated'],
    ['before the first byte', 0, '', 'Connection error.'],
  ])('cuts a stream %s', async (_, cutAfter, text, message) => {
    await client.standIn.answer({ text: 'One two three', cutAfter });
    const streamed = await client.stream('Hello');
    expect(streamed).toMatchObject({ text, finish: null, usage: undefined, error: { message } });
    const { chat, given } = await client.standIn.counts();
    expect(chat).toMatchObject({ begun: 1, cut: 1, complete: 0, left: 0, open: 0 });
    expect(given).toMatchObject({ promptTokens: 0, completionTokens: 0 });
  });

  test.each([
    [0, 'Connection error.'],
    [1, 'terminated'],
    [2, 'terminated'],
  ])('cuts an answer that is no stream, after %i halves', async (cutAfter, message) => {
    await client.standIn.answer({ cutAfter });
    await expect(client.ask('Hello')).rejects.toMatchObject({ message });
    expect((await client.standIn.counts()).chat).toMatchObject({ begun: 1, cut: 1, complete: 0 });
  });

  test('answers so late that its caller hangs up, and counts that apart', async () => {
    await client.standIn.answer({ delayMs: AN_HOUR_MS });
    const hangingUp = new AbortController();
    const asked = client.ask('Hello', {}, hangingUp.signal);
    await until(async () => (await client.standIn.counts()).chat.open === 1, 'the call');
    hangingUp.abort();
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await until(async () => (await client.standIn.counts()).chat.left === 1, 'the end of the call');
    expect((await client.standIn.counts()).chat).toMatchObject({ begun: 1, cut: 0, complete: 0, open: 0 });
  });

  test('streams piece by piece, until its caller hangs up', async () => {
    await client.standIn.answer(
      { times: 1, text: 'One two', pieceMs: 1 },
      { text: 'One two', pieceMs: AN_HOUR_MS },
    );
    expect(await client.stream('Hello')).toMatchObject({ text: 'One two', finish: 'stop' });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const asked = client.library.chat.completions.create({ model: 'stand-in', messages, stream: true });
    const reader = (await asked.asResponse()).body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []).toString();
    expect([first.includes('"role":"assistant"'), first.includes('One')]).toEqual([true, false]);
    await reader?.cancel();
    await until(async () => (await client.standIn.counts()).chat.left === 1, 'the end of the call');
  });

  test('lists no models to a key that it does not take', async () => {
    await client.standIn.answer({ when: { call: 'models' }, error: { status: 401 } });
    await expect(client.library.models.list()).rejects.toMatchObject({ status: 401 });
    expect(await client.words('Hello')).toBe('You wrote: Hello');
  });
});

test('a call without a key is refused and counted nowhere', async () => {
  const ask = (headers: Record<string, string>) => fetch(`${stack.simulator.llm}/models`, { headers });
  const refused = [await ask({}), await ask({ authorization: 'Basic x' })];
  refused.push(await ask({ authorization: `Bearer ${'x'.repeat(101)}` }));
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(await refused[0]?.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await stack.get('/llm/keys')).body).toEqual({ items: [] });
});
