import { join } from 'node:path';
import { ROOT } from '../config.js';

/** A row says how the launcher runs a program. Which variables the program reads, its own build says (`variables.ts`). */
export interface ProgramRow {
  name: string;
  /** Services stop in this order; those of one number together. */
  stopOrder: number;
  /** Niceness of a service that works through a queue: one that answers a caller goes first where the machine is busy (ADR 24). */
  niceness?: number;
  /** Flags of its Node.js. */
  nodeFlags?: readonly string[];
}

/** A program that keeps what it knows in the database. */
export interface ServiceRow extends ProgramRow {
  /** The schema that its migrations make, the only one which its login may use. */
  schema: string;
}

export const GATEWAY = 'api-gateway';
export const WORKER = 'session-worker';
export const SIMULATOR = 'simulator';

/** Niceness that leaves a third of the processor's time where both want it, and a place behind the others when both wake up. */
const LOW_PRIORITY = 5;

/**
 * The size of a half of the young generation, in MB. What a send leaves behind is garbage when it is answered; with the 16 MB of the default a part of it is
 * taken for lasting, and every four seconds the whole heap is gone through, by as many threads as there are, while sends wait for 40 ms (ADR 24). The
 * dispatcher has what waits for its commit, which is copied from one half to the other less often.
 */
const YOUNG_MB = 64;

/**
 * The least size of the heap, in MB, at which it is collected as a whole. Without it, where little of the young generation lasts, the bound sinks towards what is in use, and a
 * dispatcher that is busy goes through its heap every ten thousand deliveries, for 300 ms of processor time each (ADR 29).
 */
const HEAP_MB = 256;

/**
 * The growth of the gateway's heap, in per cent of what is in use, before it is collected as a whole. V8 keeps the requests to write to sockets until then, five a send:
 * without it the bound sinks towards what is in use, and at 300 sends a second the heap is gone through every four seconds, while sends wait for 30 to 70 ms (ADR 24).
 */
const HEAP_GROWTH = 100;

/** The table of the services. The customer's door closes first, what others ask closes last. */
export const SERVICES: readonly ServiceRow[] = [
  { name: 'billing', schema: 'billing', stopOrder: 3 },
  { name: 'limits', schema: 'limits', stopOrder: 3 },
  { name: WORKER, schema: 'sessions', stopOrder: 2, niceness: LOW_PRIORITY },
  {
    name: 'webhook-dispatcher',
    schema: 'webhooks',
    stopOrder: 2,
    nodeFlags: [`--max-semi-space-size=${YOUNG_MB}`, `--initial-old-space-size=${HEAP_MB}`],
  },
  {
    name: GATEWAY,
    schema: 'gateway',
    stopOrder: 1,
    nodeFlags: [`--max-semi-space-size=${YOUNG_MB}`, `--heap-growing-percent=${HEAP_GROWTH}`],
  },
];

/** The simulator has no schema and stops after those who speak to it. */
export const SIMULATOR_ROW: ProgramRow = { name: SIMULATOR, stopOrder: 4, niceness: LOW_PRIORITY };

/** Place in the order of stopping: PostgreSQL and nats-server stop after all their clients. */
export const SERVERS_STOP_ORDER = 5;

/** Lists the names of the processes of a service: its own, and `-2`, `-3` … for the session workers beside the first. */
export function processNames({ name }: ServiceRow, sessionWorkers: number): string[] {
  const count = name === WORKER ? sessionWorkers : 1;
  return Array.from({ length: count }, (_, n) => (n === 0 ? name : `${name}-${n + 1}`));
}

/** Names a bundled program of an app: `main` stays, `migrate` ends by itself. */
export function programOf(name: string, program: 'main' | 'migrate'): string {
  return join(ROOT, 'apps', name, 'dist/bundle', `${program}.js`);
}
