import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const named = (text: string, pattern: RegExp): string[] => [...new Set(text.match(pattern))].sort();

test('every step of a fact that is described is made, and every step that is made is described', () => {
  const code = readFileSync(join(import.meta.dirname, 'audit-outbox.ts'), 'utf8');
  const made = named(code, /(?<=atStep\(')audit-\d+/g);
  expect(made).toHaveLength(2);
  const page = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
  expect(named(page, /\baudit-\d+\b/g)).toEqual(made);
});
