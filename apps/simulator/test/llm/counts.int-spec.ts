import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { LlmClient } from '../support/llm-client.js';
import { until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const AN_HOUR_MS = 3_600_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

let stack: Stack;
let client: LlmClient;
beforeAll(async () => {
  stack = await Stack.start();
  client = new LlmClient(stack, 'counts');
});
afterEach(() => stack.post('/reset'));
afterAll(() => stack.close());

describe('the stand-in for language models counts', () => {
  test('what it has given to each key, and has rules for each', async () => {
    const other = new LlmClient(stack, 'sk/other%key');
    await other.standIn.answer({ text: 'To the other one.' });
    const answers = [await client.ask('Hello'), await client.ask('Hello again')];
    expect(await other.words('Hello')).toBe('To the other one.');
    const { chat, given } = await client.standIn.counts();
    const sum = (pick: (answer: (typeof answers)[number]) => number | undefined) =>
      answers.reduce((total, answer) => total + (pick(answer) ?? 0), 0);
    expect(chat).toEqual({ begun: 2, complete: 2, cut: 0, left: 0, refused: 0, open: 0, mostOpen: 1 });
    expect(given).toEqual({
      promptTokens: sum(({ usage }) => usage?.prompt_tokens),
      completionTokens: sum(({ usage }) => usage?.completion_tokens),
      ...{ cachedTokens: 0, audioSeconds: 0 },
    });
    expect((await other.standIn.counts()).chat.complete).toBe(1);
    const { body } = await stack.get<{ items: { key: string }[] }>('/llm/keys');
    expect(body.items.map(({ key }) => key)).toEqual(['counts', other.key]);
  });

  test('200 calls at the same time, answered or not', async () => {
    await client.standIn.answer({ when: { text: 'wait' }, delayMs: AN_HOUR_MS });
    const hangingUp = new AbortController();
    const waiting = numbers(200).map((n) =>
      client.ask(`wait ${n}`, {}, hangingUp.signal).then(
        () => 'answered',
        () => 'hung up',
      ),
    );
    await until(async () => (await client.standIn.counts()).chat.open === 200, 'all 200');
    const answered = await Promise.all(numbers(200).map((n) => client.stream(`Number ${n}`)));
    expect(answered.map(({ text }) => text)).toEqual(numbers(200).map((n) => `You wrote: Number ${n}`));
    hangingUp.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['hung up']));
    await until(async () => (await client.standIn.counts()).chat.open === 0, 'none');
    const { mostOpen, ...counts } = (await client.standIn.counts()).chat;
    expect(counts).toEqual({ begun: 400, complete: 200, left: 200, cut: 0, refused: 0, open: 0 });
    expect(mostOpen).toBeGreaterThan(200);
  });
});

describe('the stand-in for language models lists', () => {
  test('what was asked and said, with the tokens, once for each cursor', async () => {
    const { usage, id } = await client.ask('Hello', { temperature: 0.5 });
    await client.standIn.answer({ error: { status: 500 } });
    await client.ask('Hello again').catch(() => undefined);
    const { items, cursor, lost } = await client.standIn.calls();
    expect(items).toMatchObject([
      {
        ...{ number: 1, id, call: 'chat', state: 'COMPLETE', status: 200, said: 'You wrote: Hello' },
        asked: { model: 'stand-in', messages: [{ role: 'user', content: 'Hello' }], temperature: 0.5 },
        usage: { promptTokens: usage?.prompt_tokens, completionTokens: usage?.completion_tokens },
      },
      { number: 2, state: 'REFUSED', status: 500, said: null, usage: null },
    ]);
    expect([cursor, lost]).toEqual([2, 0]);
    expect((await client.standIn.calls(1)).items.map(({ number }) => number)).toEqual([2]);
    expect((await stack.get('/llm/keys/counts/calls?since=3')).status).toBe(400);
  });

  test('a picture as its beginning', async () => {
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const content = [{ type: 'image_url' as const, image_url: { url } }];
    await client.ask('', { messages: [{ role: 'user', content }] });
    const { items } = await client.standIn.calls();
    const kept = JSON.stringify(items[0]?.asked);
    expect(kept).toMatch(/data:image\/png;base64,A+… \(1000022 characters\)/);
    expect(kept.length).toBeLessThan(1_000);
  });

  test('the latest thousand, and says how many more there were', async () => {
    for (const tens of numbers(110))
      await Promise.all(numbers(10).map((n) => client.ask(`Number ${tens * 10 + n}`)));
    const { items, cursor, lost } = await client.standIn.calls();
    expect([items.length, items[0]?.number, cursor, lost]).toEqual([1_000, 101, 1_100, 100]);
  });

  test('nothing of a key that it has forgotten', async () => {
    await client.standIn.answer({ text: 'By a rule.' });
    await client.ask('Hello');
    expect((await client.standIn.forget()).chat.begun).toBe(1);
    expect((await client.standIn.counts()).chat.begun).toBe(0);
    expect(await client.words('Hello')).toBe('You wrote: Hello');
    expect((await client.standIn.calls()).items.map(({ number }) => number)).toEqual([1]);
    await stack.post('/reset');
    expect(await client.standIn.calls()).toEqual({ items: [], cursor: 0, lost: 0 });
    expect((await stack.get('/llm/keys')).body).toEqual({ items: [] });
  });
});

describe('rules of the stand-in', () => {
  test.each<[string, object, string]>([
    ['without a list', {}, 'rules'],
    ['of 101', { rules: Array(101).fill({}) }, 'rules'],
    ['for a call of no kind', { rules: [{ when: { call: 'song' } }] }, 'rules.0.when.call'],
    ['for no turn', { rules: [{ when: { turn: 0 } }] }, 'rules.0.when.turn'],
    ['that never hold', { rules: [{ times: 0 }] }, 'rules.0.times'],
    ['of a longer text than there may be', { rules: [{ text: 'x'.repeat(200_001) }] }, 'rules.0.text'],
    [
      'with arguments that are no text',
      { rules: [{ toolCalls: [{ name: 'x', arguments: {} }] }] },
      'rules.0.toolCalls.0.arguments',
    ],
    ['with an error that is none', { rules: [{ error: { status: 200 } }] }, 'rules.0.error.status'],
    ['with a wait of two hours', { rules: [{ delayMs: 7_200_000 }] }, 'rules.0.delayMs'],
    [
      'with fewer tokens than none',
      { rules: [{ usage: { promptTokens: -1 } }] },
      'rules.0.usage.promptTokens',
    ],
    ['with a field that nobody knows', { rules: [{ mood: 'good' }] }, 'rules.0.mood'],
  ])('%s are refused', async (_, body, field) => {
    const answer = await stack.put<{ meta: { fields: object } }>('/llm/keys/counts/rules', body);
    expect([answer.status, Object.keys(answer.body.meta.fields)]).toEqual([400, [field]]);
  });

  test('stay as they were when others are refused', async () => {
    await client.standIn.answer({ text: 'By a rule.' });
    await stack.put('/llm/keys/counts/rules', { rules: [{ times: 0 }], obedient: true });
    expect((await stack.get('/llm/keys/counts/rules')).body).toEqual({
      ...{ rules: [{ text: 'By a rule.' }], used: [0], obedient: false },
    });
  });
});
