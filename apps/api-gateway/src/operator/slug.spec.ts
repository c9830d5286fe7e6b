import { expect, test } from '@jest/globals';
import { slugOf } from './slug.js';

test.each([
  ['Acme', 'acme'],
  ['  Müller & Söhne GmbH ', 'muller-sohne-gmbh'],
  ['日本', 'tenant'],
  ['--', 'tenant'],
  ['a'.repeat(100), 'a'.repeat(40)],
])('the slug of "%s" is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
