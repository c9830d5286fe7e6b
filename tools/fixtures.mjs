// The samples of contracts that were published, with a digest each: the tests of libs/contracts fail where one is gone or changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the list: what is in it stays as it is, samples that are not in it yet are added. */
export function publishedFixtures(contracts) {
  const list = join(contracts, 'published-fixtures.json');
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const now = Object.fromEntries(
    filesIn(join(contracts, 'fixtures')).map((file) => [file, digestOf(join(contracts, 'fixtures', file))]),
  );
  const all = Object.entries({ ...now, ...before });
  return JSON.stringify(Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))));
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true }).filter((file) => file.endsWith('.json'));
}

function digestOf(path) {
  return createHash('sha256')
    .update(JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))))
    .digest('hex');
}
