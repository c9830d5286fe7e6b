import { afterEach, expect, jest, test } from '@jest/globals';
import { GroupCommit, type GroupOptions } from './group-commit.js';

afterEach(() => void jest.restoreAllMocks());

/** Stands for a database that takes one group at a time and says which it got. */
function aDatabase(options: Partial<GroupOptions<string, string>> = {}) {
  const groups: string[][] = [];
  const commits = new GroupCommit<string, string>({
    most: 3,
    ...options,
    write: async (items) => {
      groups.push(items);
      await new Promise(setImmediate);
      if (items.includes('bad')) throw new Error('refused');
      return items.map((item) => `${item} written`);
    },
  });
  return { groups, commits };
}

test('what comes at once goes together, and so does what comes while others are written', async () => {
  const { groups, commits } = aDatabase();
  const first = ['a', 'b'].map((item) => commits.add(item));
  await new Promise(setImmediate);
  const later = ['c', 'd', 'e', 'f'].map((item) => commits.add(item));
  const results = await Promise.all([...first, ...later]);
  expect(groups).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
  expect(results).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((item) => `${item} written`));
});

test('two writes of one session never share a group, and keep their order', async () => {
  const { groups, commits } = aDatabase({ apart: (item) => item.charAt(0) });
  await Promise.all(['a1', 'b1', 'b2', 'c1', 'b3'].map((item) => commits.add(item)));
  expect(groups).toEqual([['a1', 'b1', 'c1'], ['b2'], ['b3']]);
});

test('one that the database refuses fails alone', async () => {
  const { commits } = aDatabase();
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => commits.add(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('of a refused group each is tried alone while it is young; what has grown too old meanwhile is given up', async () => {
  const refusal = new Error('refused');
  const tried: string[][] = [];
  const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const commits = new GroupCommit<string, string>({
    most: 3,
    patienceMs: 20,
    write: (items) => {
      tried.push(items);
      if (items.length > 1) return Promise.reject(refusal);
      clock.mockReturnValue(1_060); // so late that those behind it have grown too old
      return Promise.resolve(items);
    },
  });
  const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => commits.add(item)));
  expect(tried).toEqual([['a', 'b', 'c'], ['a']]);
  expect(results[0]).toEqual({ status: 'fulfilled', value: 'a' });
  expect(results.slice(1)).toEqual([1, 2].map(() => ({ status: 'rejected', reason: refusal })));
});

test('of what nobody waits for a lone one is written at once, a flow of them in few groups, a full group without delay', async () => {
  const { groups, commits } = aDatabase({ everyMs: 60_000 });
  await commits.add('alone');
  const flow = ['a', 'b'].map((item) => commits.add(item));
  await new Promise(setImmediate);
  expect(groups).toEqual([['alone']]);
  const full = commits.add('c');
  await Promise.all([...flow, full]);
  expect(groups).toEqual([['alone'], ['a', 'b', 'c']]);
});
