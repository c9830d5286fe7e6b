import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { plainArray, PreparedNames } from './preparing-client.js';

const use = (names: PreparedNames, text: string, times: number): (string | undefined)[] =>
  Array.from({ length: times }, () => names.of(text));

test('a text is named at its fifth use, and keeps its name', () => {
  const names = new PreparedNames();
  expect(use(names, 'SELECT $1', 7)).toEqual([undefined, undefined, undefined, undefined, 's1', 's1', 's1']);
});

test('no two texts have one name', () => {
  const names = new PreparedNames();
  const issued = Array.from({ length: 50 }, (_, n) => use(names, `SELECT $1 + ${n}`, 5).at(-1));
  expect(new Set(issued).size).toBe(50);
});

test('there is an end to names, and those that were given stay', () => {
  const names = new PreparedNames();
  for (let n = 0; n < 1_000; n += 1) use(names, `SELECT $1 + ${n}`, 5);
  expect(names.of('SELECT $1 + 0')).toBe('s1');
  expect(use(names, 'one more', 9).at(-1)).toBeUndefined();
});

test('texts that come once push no other out of its count for long', () => {
  const names = new PreparedNames();
  for (let n = 0; n < 10_000; n += 1) names.of(`SELECT $1 + ${n}`);
  expect(use(names, 'often', 5).at(-1)).toBe('s1');
});

test('2,000 texts are counted, and with the next one the count begins anew', () => {
  const names = new PreparedNames();
  use(names, 'often', 4);
  for (let n = 1; n < 2_000; n += 1) names.of(`SELECT $1 + ${n}`);
  expect(names['uses'].size).toBe(2_000);
  names.of('one more');
  expect(names['uses'].size).toBe(1);
  expect(use(names, 'often', 5).map((name) => name !== undefined)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('a name that cannot be used any more is replaced', () => {
  const names = new PreparedNames();
  use(names, 'SELECT $1', 5);
  const next = names.rename('SELECT $1');
  expect(next).not.toBe('s1');
  expect(names.of('SELECT $1')).toBe(next);
});

test('an array is written so that the same elements are read, or left to the driver', () => {
  const TEXT_ARRAY = 1009;
  const parserOf = pg.types.getTypeParser as unknown as (type: number) => (text: string) => (string | null)[];
  const read = parserOf(TEXT_ARRAY);
  const odd = fc.constantFrom('null', 'NULL', '', ' ', 'a b', ',', '{', '}', '"', '\\', 'ü', '\n');
  const element = fc.oneof(
    fc.uuid(),
    fc.string(),
    odd,
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
  );
  const check = (values: unknown[]): void => {
    const written = plainArray(values);
    if (written !== undefined)
      expect(read(written)).toEqual(values.map((one) => (one == null ? null : String(one))));
  };
  fc.assert(fc.property(fc.array(element), check), { numRuns: 2_000 });
  const id = '1b58b464-f647-5d75-8789-e51b3f99dd1d';
  expect(plainArray([id, null, 7, '2026-01-31T12:00:00.000Z'])).toBe(
    `{${id},NULL,7,2026-01-31T12:00:00.000Z}`,
  );
  expect([[['a']], [{}], ['null'], ['']].map(plainArray)).toEqual(Array(4).fill(undefined));
});

test('bytes of an array are read as what they are, an instant is written in UTC', () => {
  const BYTES_ARRAY = 1001;
  const parserOf = pg.types.getTypeParser as unknown as (type: number) => (text: string) => unknown[];
  const bytes = fc.uint8Array().map((array) => Buffer.from(array));
  const check = (values: unknown[]): void =>
    expect(parserOf(BYTES_ARRAY)(plainArray(values) as string)).toEqual(values);
  fc.assert(fc.property(fc.array(fc.option(bytes)), check));
  expect(plainArray([new Date(0), null])).toBe('{1970-01-01T00:00:00.000Z,NULL}');
});
