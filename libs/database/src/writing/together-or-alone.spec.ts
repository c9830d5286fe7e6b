import { expect, test } from '@jest/globals';
import { togetherOrAlone } from './together-or-alone.js';

/** Handles items as a database does that refuses some of them. */
async function handled(items: string[], code = '22008'): Promise<unknown> {
  const goes: string[][] = [];
  const refused: string[] = [];
  const handle = async (some: string[]): Promise<string> => {
    goes.push(some);
    if (some.includes('sick')) throw Object.assign(new Error('refused'), { code });
    return some.join();
  };
  const results = await togetherOrAlone(items, handle, (item) => void refused.push(item));
  return { goes, refused, results };
}

test('healthy items are handled in one go, and none is no go', async () => {
  expect(await handled(['a', 'b'])).toEqual({ goes: [['a', 'b']], refused: [], results: ['a,b'] });
  expect(await handled([])).toEqual({ goes: [], refused: [], results: [] });
});

test('where one is sick each is handled on its own, and the sick one alone is refused', async () => {
  expect(await handled(['a', 'sick', 'b'])).toEqual({
    ...{ goes: [['a', 'sick', 'b'], ['a'], ['sick'], ['b']] },
    ...{ refused: ['sick'], results: ['a', 'b'] },
  });
});

test('a database that is away refuses nobody', async () => {
  await expect(handled(['a', 'sick'], '57P01')).rejects.toThrow('refused');
});
