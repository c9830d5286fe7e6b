import { type ChildProcess, spawn } from 'node:child_process';
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
  /** Part of the last line of output. */
  answer?: object;
}

/** Reads the page's `sh` blocks in order, each with the `json` block behind it. */
async function blocksOfPage(): Promise<Block[]> {
  const page = await readFile(join(ROOT, 'docs/quickstart.md'), 'utf8');
  const blocks: Block[] = [];
  for (const [, language, text = ''] of page.matchAll(/^```(\w+)\n(.*?)^```/gms)) {
    if (language === 'sh') blocks.push({ commands: text });
    else if (language === 'json')
      Object.assign(blocks.at(-1) as Block, { answer: JSON.parse(text) as object });
    else throw new Error(`Nobody runs a block of ${language}.`);
  }
  return blocks;
}

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
    const [start, ...blocks] = await blocksOfPage();
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

    const END = '-- end of a block --';
    const script = ['set -eo pipefail', ...blocks.map(({ commands }) => `${commands}\necho '${END}'`)].join(
      '\n',
    );
    const shell = spawn('bash', ['-c', script.replace('bot.log', join(dataDir, 'bot.log'))], {
      ...{ cwd: ROOT, env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((resolve) => shell.once('close', resolve));
    expect([code, output]).toEqual([0, expect.any(String)]);

    const outputs = output.split(`${END}\n`);
    for (const [index, { commands, answer }] of blocks.entries()) {
      if (!answer) continue;
      const lines = (outputs[index] ?? '').trim().split('\n');
      expect([commands, JSON.parse(lines.at(-1) ?? '')]).toMatchObject([commands, answer]);
    }
  },
  LIMIT_MS,
);
