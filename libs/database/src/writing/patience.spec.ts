import { expect, test } from '@jest/globals';
import { isPassing, patiently } from './group-commit.js';

const failure = (fields: object, words = 'x'): Error => Object.assign(new Error(words), fields);

test.each([
  ['a database that is away', failure({ code: 'ECONNREFUSED' })],
  ['a deadlock', failure({ driverError: { code: '40P01' } })],
])('%s passes', (_what, error) => {
  expect(isPassing(error)).toBe(true);
});

test.each([
  ['a wrong statement', failure({ driverError: { code: '42601' } })],
  ['a lost lease', failure({}, 'The lease of partition 3 is lost.')],
  ['nothing', undefined],
])('%s does not pass', (_what, error) => {
  expect(isPassing(error)).toBe(false);
});

test('a statement is run again until the database is back', async () => {
  let left = 2;
  const answer = await patiently(async () => {
    if (left-- > 0) throw failure({ code: 'ECONNREFUSED' });
    return 'row';
  });
  expect(answer).toBe('row');
});

test('a statement that is wrong fails at once', async () => {
  let runs = 0;
  const wrong = patiently(async () => {
    runs += 1;
    throw failure({ code: '42601' }, 'wrong');
  });
  await expect(wrong).rejects.toThrow('wrong');
  expect(runs).toBe(1);
});
