// Proves that a new service is whole, in a copy of this work tree: written, built, type-checked, linted, tested, started by the launcher.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyTree } from '../copy-tree.mjs';
import { newService } from './new-service.mjs';

const NAME = 'new-probe';
/** Says what it would install, and fails where the lock is not that of the packages. */
const LOCK_CHECK = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
const READY_LIMIT_MS = 180_000;

/** @throws Error at the first step that fails. */
export async function check(root) {
  mkdirSync(join(root, '.data'), { recursive: true });
  const copy = mkdtempSync(join(root, '.data/new-'));
  try {
    await step('copied', () => copyTree(root, copy));
    await step('written', () => newService(copy, NAME));
    const app = join(copy, 'apps', NAME);
    const node = (cwd, ...args) => execFileSync(process.execPath, args, { cwd, stdio: ['ignore', 2, 2] });
    const tool = (path) => join(copy, 'node_modules', path);
    await step('lock checked', () => execFileSync('npm', LOCK_CHECK, { cwd: copy }));
    await step('built', () => node(copy, 'apps/launcher/build.mjs'));
    await step('docs generated', () => node(copy, 'tools/docs.mjs'));
    await step('docs checked', () => node(copy, 'tools/docs.mjs', '--check'));
    await step('manifests written', () => node(copy, 'deploy/source/files.mjs'));
    await step('manifests checked', () => node(copy, 'deploy/check/main.mjs'));
    await step('type-checked', () => node(app, tool('typescript/bin/tsc'), '-b', 'tsconfig.json'));
    await step('linted', () => node(app, tool('eslint/bin/eslint.js'), '.', '--quiet'));
    const jest = ['--experimental-vm-modules', '--no-warnings', tool('jest/bin/jest.js')];
    await step('tested', () => node(app, ...jest));
    await step('started', () => startStack(copy));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function step(words, work) {
  const begun = performance.now();
  await work();
  process.stderr.write(`  ✓ ${words.padEnd(17)} ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

async function startStack(copy) {
  const dataDir = join(copy, '.data');
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    GATEWAY_PORT: '0',
    DATABASE_URL: '',
    NATS_URL: '',
    PLATFORM_URL: '',
  };
  const launcher = spawn(process.execPath, [join(copy, 'apps/launcher/dist/main.js'), 'start'], {
    ...{ cwd: copy, env, stdio: ['ignore', 2, 2] },
  });
  const ended = new Promise((done) => launcher.once('exit', done));
  try {
    const deadline = performance.now() + READY_LIMIT_MS;
    const file = join(dataDir, 'stack.json');
    while (!existsSync(file)) {
      if (launcher.exitCode !== null || performance.now() > deadline)
        throw new Error('The stack did not start.');
      await delay(100);
    }
    const { processes } = JSON.parse(readFileSync(file, 'utf8'));
    if (!processes.some(({ name }) => name === NAME)) throw new Error(`The launcher does not run ${NAME}.`);
  } finally {
    launcher.kill('SIGTERM');
    await ended;
  }
}
