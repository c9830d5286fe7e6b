import { afterEach, expect, jest, test } from '@jest/globals';
import { KnownAnswers } from './answer-cache.js';

/** Questions that are answered when the test says so. */
function stage() {
  const questions = new KnownAnswers<string>(() => 0);
  const open: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const question = () => new Promise<string>((resolve, reject) => open.push({ resolve, reject }));
  return { open, ask: (key = 'plan') => questions.ask(key, question) };
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

/** Answers `good …` are kept for half a second of a clock that stands still until it is moved. */
function keeping() {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const answers = new KnownAnswers<string>((answer) => (answer.startsWith('good') ? 500 : 0));
  let asked = 0;
  const known = (answer: string, key = 'plan') =>
    answers.known(key, () => Promise.resolve(`${answer} ${(asked += 1)}`));
  return { answers, known, at: (ms: number) => void clock.mockReturnValue(1_000 + ms) };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('good news is kept for a moment, counted from the question, and bad news is not', async () => {
  const { known, at } = keeping();
  expect(await known('good')).toBe('good 1');
  at(374);
  expect(await known('good')).toBe('good 1');
  at(500);
  expect(await known('bad')).toBe('bad 2');
  expect(await known('good')).toBe('good 3');
});

test('in the last quarter of its time an answer is asked for anew, by one, and nobody waits for that', async () => {
  const { known, at } = keeping();
  await known('good');
  at(375);
  expect(await Promise.all([known('good'), known('good')])).toEqual(['good 1', 'good 1']);
  await settled();
  expect(await known('good')).toBe('good 2');
  at(750);
  expect(await known('bad')).toBe('good 2');
  await settled();
  expect(await known('good')).toBe('good 4');
});

test('what is asked for anew is new, and is what is known from then on', async () => {
  const { answers, known } = keeping();
  await known('good');
  expect(await answers.ask('plan', () => Promise.resolve('good 7'))).toBe('good 7');
  expect(await known('good')).toBe('good 7');
  await answers.ask('plan', () => Promise.resolve('bad'));
  expect(await known('good')).toBe('good 2');
});

test('what has changed is forgotten, by the beginning of its key, and so is what is being asked meanwhile', async () => {
  const { answers, known } = keeping();
  await known('good', 'a/1');
  await known('good', 'b/1');
  answers.forget('a');
  expect(await known('good', 'a/1')).toBe('good 3');
  expect(await known('good', 'b/1')).toBe('good 2');
  const open = answers.known('c', () => new Promise((resolve) => setImmediate(resolve, 'good before')));
  answers.forget('c');
  expect(await open).toBe('good before');
  expect(await known('good', 'c')).toBe('good 4');
});
