import { join } from 'node:path';
import { ROOT } from '../config.js';
import { ROOTS_FILE } from './data-dir.js';
import { readJson } from './private-file.js';

/**
 * Reads from which copy of the repository a process is started, by its name: `DATA_DIR/roots.json` names those of another copy, so that two versions
 * run side by side. It is read at each start of a process: whoever changes it ends the process, and the next one is of the other copy.
 */
export function rootOf(dataDir: string, process: string): string {
  const roots = (readJson(join(dataDir, ROOTS_FILE)) ?? {}) as Record<string, string>;
  return roots[process] ?? ROOT;
}
