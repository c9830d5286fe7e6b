import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Clock ticks a second in `/proc`; fixed on every Linux that Node runs on. */
const TICKS = 100;

/** Reads the CPU time of a process so far, in milliseconds (Linux). */
export function cpuMsOf(pid: number): number {
  // The fields 14 and 15 of proc(5) stand behind the name, which may hold anything.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Reads the CPU time when the process has written down all results of the work. */
export async function cpuMsWhenIdle(pid: number): Promise<number> {
  for (let before = cpuMsOf(pid); ;) {
    await delay(500);
    const now = cpuMsOf(pid);
    if (now - before <= 20) return now;
    before = now;
  }
}
