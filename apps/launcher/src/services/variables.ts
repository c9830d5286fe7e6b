import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../config.js';

/** Variables that every process needs from the machine that it runs on. */
export const MACHINE_VARIABLES = ['PATH', 'HOME', 'TZ', 'NODE_EXTRA_CA_CERTS'] as const;

/**
 * Reads the names of the variables of an app, which its build wrote down from its config class (`tools/bundle.mjs`): a new
 * variable stands there and nowhere here.
 */
export function variablesOf(name: string): string[] {
  const file = join(ROOT, 'apps', name, 'dist/bundle/variables.json');
  if (!existsSync(file)) throw new Error(`${file} is missing. Build first: npm run build`);
  return JSON.parse(readFileSync(file, 'utf8')) as string[];
}
