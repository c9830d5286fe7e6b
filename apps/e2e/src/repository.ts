import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository, from `apps/e2e/dist` and from `apps/e2e/src` alike. */
export const ROOT = resolve(import.meta.dirname, '../../..');

/** The launcher's program, which starts a whole stack. */
export const LAUNCHER = builtFile('launcher', 'main.js');

/** Names the bundled program of a service. */
export const bundleOf = (app: string): string => builtFile(app, 'bundle/main.js');

/** Names the bundled program that brings the schema of a service up to date. */
export const migrationOf = (app: string): string => builtFile(app, 'bundle/migrate.js');

/** Names a reference of `bare/`, which a benchmark compares a service with. */
export const bareProgram = (file: string): string => join(ROOT, 'apps/e2e/bare', file);

/** Reads the flags that a service has of its Node.js. */
export function nodeFlagsOf(app: string): string[] {
  const runtime = JSON.parse(readFileSync(builtFile(app, 'bundle/runtime.json'), 'utf8')) as {
    nodeFlags?: string[];
  };
  return runtime.nodeFlags ?? [];
}

function builtFile(app: string, file: string): string {
  return join(ROOT, 'apps', app, 'dist', file);
}
