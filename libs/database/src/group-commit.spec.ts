import { expect, test } from '@jest/globals';
import { GroupCommit } from './group-commit.js';

/** A database that takes one group at a time and says which it got. */
function aDatabase(apart?: (item: string) => string) {
  const groups: string[][] = [];
  const commits = new GroupCommit<string, string>({
    most: 3,
    ...(apart ? { apart } : {}),
    write: async (items) => {
      groups.push(items);
      await new Promise(setImmediate);
      if (items.includes('bad')) throw new Error('refused');
      return items.map((item) => `${item} written`);
    },
  });
  return { groups, commits };
}

test('what comes alone is written at once, what comes meanwhile goes together', async () => {
  const { groups, commits } = aDatabase();
  const results = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => commits.add(item)));
  expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  expect(results).toEqual(['a', 'b', 'c', 'd', 'e'].map((item) => `${item} written`));
});

test('two writes of one session never share a group, and keep their order', async () => {
  const { groups, commits } = aDatabase((item) => item.charAt(0));
  await Promise.all(['a1', 'b1', 'b2', 'c1', 'b3'].map((item) => commits.add(item)));
  expect(groups).toEqual([['a1'], ['b1', 'c1'], ['b2'], ['b3']]);
});

test('one that the database refuses fails alone', async () => {
  const { commits } = aDatabase();
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => commits.add(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});
