import { rm } from 'node:fs/promises';
import type { ServersOfRun } from './global-setup.js';

/** Stops what `globalSetup` started, as Jest's `globalTeardown`, and removes what the tests left below its directory. */
export default async function globalTeardown(): Promise<void> {
  const { postgres, directory } = globalThis as ServersOfRun;
  await postgres?.stop();
  if (directory) await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
