import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { testRun } from './config.js';

/** Makes a directory for a test file. The teardown of the run removes it, also where the test ended early. */
export function temporaryDirectory(name: string): string {
  return mkdtempSync(join(testRun.directory, `${name}-`));
}
