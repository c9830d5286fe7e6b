import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The facts of a running process, as the kernel has them. Processes of other users, which we may not inspect, never appear. */
export interface ProcessFacts {
  pid: number;
  /** Name of the executable file, also after an upgrade replaced it. */
  program: string;
  cwd: string;
  argv: string[];
}

/** A signal and how long to wait for it to work before the next, harsher one. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

const POLL_MS = 20;

/**
 * Lists the running processes that satisfy `belongs`. A process is recognised by what it is doing (directory,
 * arguments), never by a remembered number alone: numbers are reused, and a stranger would be killed.
 */
export async function findProcesses(belongs: (process: ProcessFacts) => boolean): Promise<ProcessFacts[]> {
  const names = await readdir('/proc');
  const facts = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => inspect(Number(name))),
  );
  return facts.filter((process) => process !== undefined).filter(belongs);
}

/**
 * Stops every process that `find` returns, step by step, until none is left. The set is looked up again after each
 * wait because a database's children outlive and follow its first process.
 */
export async function takeDown(
  find: () => Promise<ProcessFacts[]>,
  steps: readonly StopStep[],
): Promise<void> {
  for (const [signal, waitMs] of steps) {
    for (const { pid } of await find()) sendSignal(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if ((await find()).length === 0) return;
      await delay(POLL_MS);
    }
  }
  const left = await find();
  if (left.length > 0) throw new Error(`Processes do not end: ${left.map(({ pid }) => pid).join(', ')}.`);
}

/** Sends a signal; a process that is already gone is what the caller wanted. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Says whether a process number is in use at all, be it by a stranger or by a dead process that nobody has collected. */
export function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function inspect(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [exe, cwd, commandLine] = await Promise.all([
      readlink(`/proc/${pid}/exe`),
      readlink(`/proc/${pid}/cwd`),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    return { pid, program: basename(exe.replace(/ \(deleted\)$/, '')), cwd, argv: commandLine.split('\0') };
  } catch {
    return undefined; // ended meanwhile, a zombie, a kernel thread or somebody else's
  }
}
