import { describe, expect, test } from '@jest/globals';
import { BundledFiles } from '../../src/walk/bundled-files.js';
import { filesOfWork } from '../../src/walk/coverage.js';

describe('a bundle', () => {
  const bundle = [
    'banner();',
    '// ../../node_modules/pg/lib/index.js',
    'var pg;',
    '// ../../libs/contracts/dist/envelope.js',
    'function envelope() {}',
    '(0, import_class_transformer.Type)(() => Data)',
    'ValidateIf(({ type }) => isShown(type))',
    'later(() => Other)',
    '// dist/http/edge.js',
    'function edge() {}',
    '',
  ].join('\n');
  const files = new BundledFiles('api-gateway', bundle);
  const fileOf = (text: string): string | undefined => files.fileAt(bundle.indexOf(text));

  test('says of which source file of ours a function is', () => {
    expect(fileOf('function envelope')).toBe('libs/contracts/src/envelope.ts');
    expect(fileOf('function edge')).toBe('apps/api-gateway/src/http/edge.ts');
  });

  test.each([
    ['the type of a field', '() => Data', true],
    ['the condition of its rules', '({ type }) => isShown', true],
    ['a function that is handed to somebody else', '() => Other', false],
    ['a function', 'function envelope', false],
  ])('says of %s whether it is a declaration', (_, text, expected) => {
    expect(files.isDeclaration(bundle.indexOf(text))).toBe(expected);
  });

  test('knows what is none of ours', () => {
    expect(fileOf('banner')).toBeUndefined();
    expect(fileOf('var pg')).toBeUndefined();
  });
});

describe('the files of the work', () => {
  const calls = (counts: Record<string, number>) => new Map(Object.entries(counts));

  test('are those that ran more often than in any idle window, in most of the rounds', () => {
    const rounds = [
      calls({ 'a.ts:1': 1, 'pull.ts:7': 9, 'late.ts:2': 1 }),
      calls({ 'a.ts:1': 1, 'pull.ts:7': 8, 'sweeper.ts:3': 1 }),
      calls({ 'a.ts:1': 2, 'pull.ts:7': 9, 'late.ts:2': 1, 'lease.ts:4': 1 }),
    ];
    const idle = [calls({ 'pull.ts:7': 4, 'lease.ts:4': 1 }), calls({})];
    expect(filesOfWork(rounds, idle)).toEqual(['a.ts', 'late.ts', 'pull.ts']);
  });

  test('leave out a task that runs as often without the work', () => {
    const task = calls({ 'lease.ts:4': 1 });
    expect(filesOfWork([task, task, task], [calls({}), task])).toEqual([]);
  });
});
