// `npm run new -- service <name>` writes a service; `npm run new -- --check` proves in a copy that what it writes is whole.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { check } from './check.mjs';
import { newService } from './new-service.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const [kind, name, ...more] = process.argv.slice(2);
const run = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });

if (kind === '--check' && name === undefined) {
  run('apps/launcher/build.mjs');
  await check(ROOT);
} else if (kind === 'service' && name !== undefined && more.length === 0) {
  const files = await newService(ROOT, name);
  process.stdout.write(`${files.join('\n')}\n`);
  run('apps/launcher/build.mjs');
  run('tools/docs.mjs');
  run('deploy/source/files.mjs');
  process.stdout.write(
    `apps/${name} is written. Say in its README, docs/development.md and docs/architecture.md what it is for.\n`,
  );
} else {
  process.stderr.write('npm run new -- service <name>\nnpm run new -- --check\n');
  process.exitCode = 1;
}
