import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../config.js';

/** A row says when the launcher stops a program. How it runs, its table says (`runtime.ts`). */
export interface ProgramRow {
  name: string;
  /** Services stop in this order; those of one number together. */
  stopOrder: number;
}

/** A program that keeps what it knows in the database. */
export interface ServiceRow extends ProgramRow {
  /** The schema that its migrations make, the only one which its login may use. */
  schema: string;
}

export const GATEWAY = 'api-gateway';
export const WORKER = 'session-worker';
export const SIMULATOR = 'simulator';

/** The table of the services. The customer's door closes first, what others ask closes last. */
export const SERVICES: readonly ServiceRow[] = [
  { name: 'billing', schema: 'billing', stopOrder: 3 },
  { name: 'limits', schema: 'limits', stopOrder: 3 },
  { name: WORKER, schema: 'sessions', stopOrder: 2 },
  { name: 'assistant', schema: 'assistant', stopOrder: 2 },
  { name: 'webhook-dispatcher', schema: 'webhooks', stopOrder: 2 },
  { name: GATEWAY, schema: 'gateway', stopOrder: 1 },
];

/** The simulator has no schema and stops after those who speak to it. */
export const SIMULATOR_ROW: ProgramRow = { name: SIMULATOR, stopOrder: 4 };

/** Place in the order of stopping: PostgreSQL and nats-server stop after all their clients. */
export const SERVERS_STOP_ORDER = 5;

/** Says whether the folder of an app is here: the stack does without one that was deleted. One that is not built is an error when it starts. */
export function isThere(name: string): boolean {
  return existsSync(join(ROOT, 'apps', name));
}

/** Lists the names of the processes of a service: its own, and `-2`, `-3` … for the session workers beside the first. */
export function processNames({ name }: ServiceRow, sessionWorkers: number): string[] {
  const count = name === WORKER ? sessionWorkers : 1;
  return Array.from({ length: count }, (_, n) => (n === 0 ? name : `${name}-${n + 1}`));
}

/** Names a bundled program of an app, in this copy of the repository or in the one at `root`: `main` stays, `migrate` ends by itself. */
export function programOf(name: string, program: 'main' | 'migrate', root = ROOT): string {
  return join(root, 'apps', name, 'dist/bundle', `${program}.js`);
}
