import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { NamedRun } from '../../src/named-run.js';
import { runNamed } from '../../src/run-named.js';

let printed: string;

beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => void jest.restoreAllMocks());

const play = (run: NamedRun['run']): Promise<number> =>
  runNamed('drill', ['it'], { drill: { it: { summary: 'a drill', bound: 'none lost', run } }, bench: {} });

test('a drill that holds ends with one line of JSON and 0', async () => {
  expect(await play(async () => ({ figures: { lost: 0 }, holds: true }))).toBe(0);
  expect(JSON.parse(printed)).toEqual({ name: 'it', figures: { lost: 0 }, bound: 'none lost', holds: true });
});

test('a drill that does not hold ends with 1', async () => {
  expect(await play(async () => ({ figures: { lost: 2 }, holds: false }))).toBe(1);
  expect(JSON.parse(printed)).toMatchObject({ figures: { lost: 2 }, holds: false });
});

test('a drill that breaks off says why, in the same line of JSON', async () => {
  expect(await play(() => Promise.reject(new Error('The stack did not start')))).toBe(1);
  expect(JSON.parse(printed)).toEqual({
    name: 'it',
    figures: {},
    bound: 'none lost',
    holds: false,
    error: 'The stack did not start',
  });
});

test.each([
  [[], 0],
  [['unknown'], 1],
  [['it', '--seed', 'x'], 1],
  [['it', '--seed'], 1],
  [['it', '--minutes', '0'], 1],
  [['it', '--other', '1'], 1],
])('%j lists what there is and ends with %i', async (args, code) => {
  const runs = { drill: { it: { summary: 'a drill', bound: '', run: () => Promise.reject() } }, bench: {} };
  expect(await runNamed('drill', args, runs)).toBe(code);
  expect(printed).toContain('a drill');
});

test('a run is told for how many minutes, and its seed', async () => {
  let options: unknown;
  const run: NamedRun['run'] = async ({ seed, minutes }) => {
    options = { seed, minutes };
    return { figures: {}, holds: true };
  };
  const runs = { drill: {}, bench: { it: { summary: '', bound: '', judged: {}, run } } };
  expect(await runNamed('bench', ['it', '--minutes', '0.5', '--seed', '7'], runs)).toBe(0);
  expect(options).toEqual({ seed: 7, minutes: 0.5 });
});
