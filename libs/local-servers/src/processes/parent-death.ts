import { run } from './run.js';

/** A program and its arguments. */
export type CommandLine = readonly [command: string, args: string[]];

/**
 * Wraps a program in `setpriv` so that the kernel signals it when this process dies, even by SIGKILL; `undefined` when
 * this machine's `setpriv` cannot do that (busybox's) or is absent.
 */
export async function endWithParent(
  signal: 'INT' | 'TERM' | 'KILL',
  [command, args]: CommandLine,
): Promise<CommandLine | undefined> {
  if (!(await isPossible())) return undefined;
  return ['setpriv', ['--pdeathsig', signal, '--', command, ...args]];
}

let possible: Promise<boolean> | undefined;

function isPossible(): Promise<boolean> {
  possible ??= run('setpriv', ['--pdeathsig', 'TERM', '--', 'true']).then(
    () => true,
    () => false,
  );
  return possible;
}
