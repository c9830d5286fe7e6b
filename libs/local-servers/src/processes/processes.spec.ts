import { afterEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcesses, sendSignal, takeDown } from './processes.js';

const children: ChildProcess[] = [];

function start(script: string, cwd = '/'): ChildProcess {
  const child = spawn('sh', ['-c', `${script} echo ready; while :; do sleep 0.05; done`], { cwd });
  children.push(child);
  return child;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('running processes', () => {
  test('are recognised by directory and arguments', async () => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'svc-test-')));
    const child = start('', directory);
    await once(child.stdout!, 'data');
    const found = await findProcesses(({ cwd, argv }) => cwd === directory && argv[1] === '-c');
    expect(found.map(({ pid }) => pid)).toEqual([child.pid]);
    expect(await findProcesses(({ cwd }) => cwd === `${directory}/`)).toEqual([]);
    await rm(directory, { recursive: true });
  });

  test('that ended but were not collected count as gone', async () => {
    const child = start('');
    await once(child.stdout!, 'data');
    child.kill('SIGKILL');
    const stopped = takeDown(() => findProcesses(({ pid }) => pid === child.pid), [['SIGTERM', 20_000]]);
    await expect(stopped).resolves.toBeUndefined();
  });

  test('are taken down by the first step that works', async () => {
    const mild = start("trap 'exit 5' TERM;");
    await once(mild.stdout!, 'data');
    const exit = once(mild, 'exit');
    const steps = [
      ['SIGTERM', 20_000],
      ['SIGKILL', 20_000],
    ] as const;
    await takeDown(() => findProcesses(({ pid }) => pid === mild.pid), steps);
    expect(await exit).toEqual([5, null]);
  });

  test('that ignore a step meet the next', async () => {
    const stubborn = start("trap '' TERM;");
    await once(stubborn.stdout!, 'data');
    const exit = once(stubborn, 'exit');
    const steps = [
      ['SIGTERM', 100],
      ['SIGKILL', 20_000],
    ] as const;
    await takeDown(() => findProcesses(({ pid }) => pid === stubborn.pid), steps);
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  test('that do not end at all are reported', async () => {
    const stubborn = start("trap '' TERM;");
    await once(stubborn.stdout!, 'data');
    const stopped = takeDown(() => findProcesses(({ pid }) => pid === stubborn.pid), [['SIGTERM', 100]]);
    await expect(stopped).rejects.toThrow(`Processes do not end: ${stubborn.pid}.`);
  });

  test('that are gone take no signal and no offence', async () => {
    const child = start('');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(() => sendSignal(child.pid!, 'SIGTERM')).not.toThrow();
  });
});
