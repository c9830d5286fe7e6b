import { readFileSync } from 'node:fs';

/** Clock ticks a second in `/proc`; fixed on every Linux that Node runs on. */
const TICKS = 100;

/** CPU time of a process so far, in milliseconds (Linux). */
export function cpuMsOf(pid: number): number {
  // Behind the name, which may hold anything: fields 14 and 15 of proc(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}
