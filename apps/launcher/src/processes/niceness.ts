import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets a process give way to others; `niceness` as `nice` has it. Linux may share the processor between login sessions first, and every service
 * has one of its own: there the session's niceness counts, and that of the process only where it does not.
 */
export function setNiceness(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The process has ended, or this system does not share so. Nothing depends on it but how long a send takes on a busy machine.
  }
}
