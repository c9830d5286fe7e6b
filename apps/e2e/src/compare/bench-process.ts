import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Outcome } from '../named-run.js';

/** A benchmark takes a quarter of it. */
const LIMIT_MS = 30 * 60_000;
/** Longest wait for the end of a benchmark, in ms: it stops its stack first. */
const STOP_LIMIT_MS = 60_000;

/**
 * Runs a benchmark of a checkout as a process of its own and reads the line of JSON that it ends with.
 * @throws Error when it broke off, or did not end in time.
 */
export async function runBench(root: string, args: string[]): Promise<Outcome['figures']> {
  const program = [...process.execArgv, join(root, 'apps/e2e/dist/main.js'), 'bench', ...args];
  const child = spawn(process.execPath, program, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (): void => void child.kill('SIGTERM');
  const timers = [
    setTimeout(stop, LIMIT_MS),
    setTimeout(() => child.kill('SIGKILL'), LIMIT_MS + STOP_LIMIT_MS),
  ];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop);
  const { figures, error } = parse(output);
  if (!figures || error) throw new Error(`bench ${args.join(' ')} in ${root}: ${error ?? 'no line of JSON'}`);
  return figures;
}

function parse(output: string): Partial<Outcome> {
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Outcome;
  } catch {
    return {};
  }
}
