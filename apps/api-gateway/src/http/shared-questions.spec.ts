import { expect, test } from '@jest/globals';
import { SharedQuestions } from './shared-questions.js';

/** Questions that are answered when the test says so. */
function stage() {
  const questions = new SharedQuestions<string>();
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
