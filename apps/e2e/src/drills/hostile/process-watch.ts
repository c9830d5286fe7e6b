import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { waitFor } from '@svc/testing';
import type { Stack } from '../../stack/stack.js';

const LOOK_EVERY_MS = 1_000;
const SETTLE_LIMIT_MS = 120_000;
/** The platform is no process of ours. */
const LEFT_OUT = ['simulator'];
/** Servers whose descriptors follow the connections of our processes, which are counted there. */
export const SERVERS = ['postgres', 'nats-server'];

/** The most that a process had in a while. */
export interface Footprint {
  rssMb: number;
  /** Descriptors without connections to the database: the pool is bounded, and stays open for five minutes. */
  descriptors: number;
}

/** Footprints by the name of the process. */
export type Footprints = Record<string, Footprint>;

/** Watches the memory and the descriptors of our processes and their servers (Linux). */
export class ProcessWatch {
  private most: Footprints = {};
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly stack: Stack) {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the most since this was asked last. */
  take(): Footprints {
    this.look();
    const { most } = this;
    this.most = {};
    return most;
  }

  /** Waits until no process has more descriptors than before and returns those that have, with how many more. */
  async descriptorsLeft(before: Footprints): Promise<Record<string, number>> {
    const left = (): Record<string, number> =>
      Object.fromEntries(
        Object.entries(this.now()).flatMap(([name, { descriptors }]) => {
          if (SERVERS.includes(name)) return [];
          const more = descriptors - (before[name]?.descriptors ?? 0);
          return more > 0 ? [[name, more]] : [];
        }),
      );
    const isNone = (): boolean => Object.keys(left()).length === 0;
    await waitFor('descriptors to be given back', isNone, SETTLE_LIMIT_MS).catch(() => undefined);
    return left();
  }

  private look(): void {
    for (const [name, now] of Object.entries(this.now())) {
      const most = (this.most[name] ??= { rssMb: 0, descriptors: 0 });
      most.rssMb = Math.max(most.rssMb, now.rssMb);
      most.descriptors = Math.max(most.descriptors, now.descriptors);
    }
  }

  private now(): Footprints {
    const ours = this.stack.file.processes.filter(({ name }) => !LEFT_OUT.includes(name));
    const database = Number(new URL(this.stack.file.postgres).port);
    return Object.fromEntries(ours.map(({ name, pid }) => [name, footprintOf(pid, database)]));
  }
}

/** Reads the footprint of a process, with the memory of its own children: PostgreSQL does its work in those. */
function footprintOf(pid: number, databasePort: number): Footprint {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    // The parent's memory includes what its children share, as buffers.
    const kB = children.reduce((sum, child) => sum + memoryOf(child, 'RssAnon'), memoryOf(pid, 'VmRSS'));
    return { rssMb: Math.round(kB / 1024), descriptors: descriptorsOf(pid, databasePort) };
  } catch {
    return { rssMb: 0, descriptors: 0 }; // it has just ended; the next look finds the one in its place
  }
}

function descriptorsOf(pid: number, databasePort: number): number {
  const toDatabase = socketsTo(pid, databasePort);
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => !toDatabase.has(targetOf(pid, fd))).length;
}

/** Names the sockets that are connected to a local port, as links of descriptors name them. */
function socketsTo(pid: number, port: number): Set<string> {
  const far = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  );
  const fields = rows.map((row) => row.trim().split(/\s+/));
  return new Set(fields.flatMap((row) => (row[2]?.endsWith(far) ? [`socket:[${row[9]}]`] : [])));
}

function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return ''; // it has just been closed
  }
}

function memoryOf(pid: number | string, field: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0; // a child that has just ended
  }
}
