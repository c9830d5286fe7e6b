import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../repository.js';
import { countOf, walkPage } from './walk-page.js';
import { walk } from './walk.js';

const PAGE = join(ROOT, 'docs/walk.md');

/** Runs `npm run walk -- [--json] [--write]`; returns the exit code. */
export async function runWalk(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' }, write: { type: 'boolean' } } });
  const found = await walk((line) => void process.stderr.write(`${line}\n`));
  if (values.write) writeFileSync(PAGE, walkPage(found, readFileSync(PAGE, 'utf8')));
  const total = countOf(found);
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ total, projects: found })}\n`);
    return 0;
  }
  for (const [project, files] of Object.entries(found)) {
    process.stdout.write(`${project} (${files.length})\n${files.map((file) => `  ${file}\n`).join('')}`);
  }
  process.stdout.write(`${total} files\n`);
  return 0;
}
