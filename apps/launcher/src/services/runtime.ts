import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../config.js';

/** Variables that every process needs from the machine that it runs on. */
export const MACHINE_VARIABLES = ['PATH', 'HOME', 'TZ', 'NODE_EXTRA_CA_CERTS'] as const;

/** Table of an app (`apps/<app>/runtime.json`), as far as the launcher goes by it; its build has checked it. */
export interface Runtime {
  /** Flags of its Node.js. */
  nodeFlags?: readonly string[];
  /** Niceness of a service that works through a queue: one that answers a caller goes first where the machine is busy (ADR 24). */
  niceness?: number;
  /** Time that it has to end by itself. */
  graceSeconds: number;
  /** Variables that it reads, which its build adds from the config class: a new one stands there and nowhere here. */
  variables: readonly string[];
}

/** Reads the table of an app that is built, in this copy of the repository or in the one at `root`. */
export function runtimeOf(name: string, root = ROOT): Runtime {
  const file = join(root, 'apps', name, 'dist/bundle/runtime.json');
  if (!existsSync(file)) throw new Error(`${file} is missing. Build first: npm run build`);
  return JSON.parse(readFileSync(file, 'utf8')) as Runtime;
}
