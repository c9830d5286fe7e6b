import { afterEach, expect, jest, test } from '@jest/globals';
import { AnswerCache } from './send-permissions.js';

/** Questions that are answered when the test says so. */
function stage() {
  const questions = new AnswerCache<string>(() => 0);
  const open: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const question = () => new Promise<string>((resolve, reject) => open.push({ resolve, reject }));
  return { open, questions, ask: (key = 'plan') => questions.fresh(key, question) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('whoever comes while a question is open gets the answer to the next one, all of them the same', async () => {
  const { open, ask } = stage();
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(open).toHaveLength(1);
  open[0]!.resolve('old');
  expect(await first).toBe('old');
  await settled();
  expect(open).toHaveLength(2);
  open[1]!.resolve('new');
  expect(await Promise.all([second, third])).toEqual(['new', 'new']);
});

test('the next question is asked although the one before failed, and fails alone', async () => {
  const { open, ask } = stage();
  const [first, second] = [ask(), ask()];
  open[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settled();
  open[1]!.resolve('back');
  expect(await second).toBe('back');
});

test('after an answer everything is asked anew, and what is different is never shared', async () => {
  const { open, ask } = stage();
  const first = ask();
  open[0]!.resolve('one');
  await first;
  await settled();
  void ask();
  void ask('session');
  expect(open).toHaveLength(3);
});

/** Makes a cache of answers that begin with `good`, for half a second of a clock that stands still until it is moved. */
function caching() {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const answers = new AnswerCache<string>((answer) => (answer.startsWith('good') ? 500 : 0));
  let asked = 0;
  const cached = (answer: string, key = 'plan') =>
    answers.cached(key, () => Promise.resolve(`${answer} ${(asked += 1)}`));
  return { answers, cached, at: (ms: number) => void clock.mockReturnValue(1_000 + ms) };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('no question is remembered once it is answered, whichever way', async () => {
  const { open, ask, questions } = stage();
  const all = [ask('good'), ask('good'), ask('bad')];
  expect(questions['questions'].size).toBe(2);
  open[0]!.resolve('good');
  open[1]!.reject(new Error('away'));
  await settled();
  open[2]!.resolve('better');
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected'],
  ]);
  await settled();
  expect(questions['questions'].size).toBe(0);
});

test('an answer that allows is cached for a moment, counted from the question, and a refusal is not', async () => {
  const { cached, at } = caching();
  expect(await cached('good')).toBe('good 1');
  at(374);
  expect(await cached('good')).toBe('good 1');
  at(500);
  expect(await cached('bad')).toBe('bad 2');
  expect(await cached('good')).toBe('good 3');
});

test('in the last quarter of its time an answer is asked for anew, by one, and nobody waits for that', async () => {
  const { cached, at } = caching();
  await cached('good');
  at(375);
  expect(await Promise.all([cached('good'), cached('good')])).toEqual(['good 1', 'good 1']);
  await settled();
  expect(await cached('good')).toBe('good 2');
  at(750);
  expect(await cached('bad')).toBe('good 2');
  await settled();
  expect(await cached('good')).toBe('good 4');
});

test('a fresh answer is new, and is the cached one from then on', async () => {
  const { answers, cached } = caching();
  await cached('good');
  expect(await answers.fresh('plan', () => Promise.resolve('good 7'))).toBe('good 7');
  expect(await cached('good')).toBe('good 7');
  await answers.fresh('plan', () => Promise.resolve('bad'));
  expect(await cached('good')).toBe('good 2');
});

test('answers are removed by the beginning of their key, and the answer to an open question is not cached', async () => {
  const { answers, cached } = caching();
  await cached('good', 'a/1');
  await cached('good', 'b/1');
  answers.invalidate('a');
  expect(await cached('good', 'a/1')).toBe('good 3');
  expect(await cached('good', 'b/1')).toBe('good 2');
  const open = answers.cached('c', () => new Promise((resolve) => setImmediate(resolve, 'good before')));
  answers.invalidate('c');
  expect(await open).toBe('good before');
  expect(await cached('good', 'c')).toBe('good 4');
});

test('a cache holds 10,000 answers, and the next one empties it', async () => {
  const { cached } = caching();
  for (let n = 1; n <= 10_000; n += 1) await cached('good', `key ${n}`);
  expect(await cached('good', 'key 1')).toBe('good 1');
  expect(await cached('good', 'key 10001')).toBe('good 10001');
  expect(await cached('good', 'key 1')).toBe('good 10002');
  expect(await cached('good', 'key 10001')).toBe('good 10001');
});
