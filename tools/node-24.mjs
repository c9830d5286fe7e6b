// Builds everything, starts it, plays the demo and runs the suites of worker and dispatcher on the Node that runs this program, which has to be
// Node 24: `npm run test:node-24`. Words after `--` choose test files of the two suites, as they do for Jest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const jest = [
  '--experimental-vm-modules',
  '--no-warnings',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--passWithNoTests',
];
const chosen = process.argv.slice(2);

const STEPS = [
  ['build', '.', ['apps/launcher/build.mjs', '--all']],
  ['start', 'apps/launcher', [...jest, 'test/start']],
  ['demo', '.', ['apps/e2e/dist/main.js', 'demo']],
  ['session-worker', 'apps/session-worker', [...jest, ...chosen]],
  ['webhook-dispatcher', 'apps/webhook-dispatcher', [...jest, ...chosen]],
];

if (!process.version.startsWith('v24.')) throw new Error(`This is Node ${process.version}, not 24.`);
const failed = STEPS.filter(([name, folder, args]) => {
  process.stdout.write(`\n${name} on Node ${process.version}\n`);
  return spawnSync(process.execPath, args, { cwd: join(root, folder), stdio: 'inherit' }).status !== 0;
}).map(([name]) => name);
process.stdout.write(
  failed.length > 0 ? `\nFailed on Node 24: ${failed.join(', ')}\n` : '\nAll pass on Node 24.\n',
);
process.exitCode = failed.length > 0 ? 1 : 0;
