import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProgram } from '../stage/programs.js';
import { freePort } from '../stage/stage.js';

const ROOT = join(import.meta.dirname, '../../../..');
/** Command that is left out: installing anew would pull the packages away from the tests that run, and it has just been done. */
const DONE_BEFORE = 'npm ci\n';
const LIMIT_MS = 240_000;

interface Block {
  commands: string;
}
/** Functions of the tools, which have no types. */
interface Tools {
  blocksOf(page: string): Block[];
  runBlocks(blocks: Block[], options: SpawnOptions): Promise<string[]>;
  wrongAnswers(blocks: Block[], outputs: string[]): string[];
}
const { blocksOf, runBlocks, wrongAnswers } = (await import(
  '../../../../tools/shell-blocks.mjs' as string
)) as Tools;

let dataDir: string;
let started: ChildProcess | undefined;

beforeAll(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'svc-quickstart-'))));
afterAll(async () => {
  if (started?.exitCode === null) {
    const ended = new Promise((resolve) => started?.once('exit', resolve));
    started.kill('SIGTERM');
    await ended;
  }
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

test(
  'every block of the quickstart does what the page says, one after the other',
  async () => {
    const [start, ...blocks] = blocksOf(await readFile(join(ROOT, 'docs/quickstart.md'), 'utf8'));
    expect(start?.commands.startsWith(DONE_BEFORE)).toBe(true);
    expect(blocks.length).toBeGreaterThan(4);
    const env = { ...process.env, DATA_DIR: dataDir, GATEWAY_PORT: '0', PORT: String(await freePort()) };

    // `exec`, so that the signal that stops it reaches npm and not a shell that waits.
    const first = start?.commands.replace(DONE_BEFORE, 'exec ') ?? '';
    started = await startProgram(['bash', '-c', first], {
      ...{ cwd: ROOT, env },
      readyAt: /^Ready after/m,
      limitMs: LIMIT_MS,
    });

    const ownLog = blocks.map((block) => ({
      ...block,
      commands: block.commands.replace('bot.log', join(dataDir, 'bot.log')),
    }));
    const outputs = await runBlocks(ownLog, { cwd: ROOT, env });
    expect(wrongAnswers(blocks, outputs)).toEqual([]);
  },
  LIMIT_MS,
);
