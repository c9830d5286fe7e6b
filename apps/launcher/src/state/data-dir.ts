import { accessSync, chmodSync, constants, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../reason.js';

export const SECRETS_FILE = 'secrets.json';
export const DEMO_FILE = 'demo.json';
export const STACK_FILE = 'stack.json';
export const ROOTS_FILE = 'roots.json';
export const MEDIA_FOLDER = 'media';
export const SIMULATOR_STATE_FILE = 'simulator.ndjson';
export const SIMULATOR_CA_FILE = 'simulator-ca.pem';

/** Paths of all files that starts leave behind. Nothing else is ever deleted: DATA_DIR may be a folder with other things in it. */
const STATE = [
  'postgres',
  'nats',
  'logs',
  MEDIA_FOLDER,
  SIMULATOR_STATE_FILE,
  SIMULATOR_CA_FILE,
  DEMO_FILE,
  STACK_FILE,
];

/** Makes a folder of which others do not see what is in it, or closes it to them. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** Makes the folder and proves that it can be used, by us and afterwards by those who used it before. */
export function prepareDataDir(dataDir: string): void {
  try {
    // The database's user has to pass through the folder where root starts this process. A folder that is there is not ours to close.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    privateFolder(join(dataDir, MEDIA_FOLDER));
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `${dataDir} cannot be used (${reasonOf(error)}). Choose another folder: DATA_DIR=/some/folder npm start`,
    );
  }
  const owner = statSync(join(dataDir, SECRETS_FILE), { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== process.getuid?.()) {
    throw new Error(
      `The state in ${dataDir} belongs to user ${owner}, who could not use it any more after a start by another user. ` +
        'Start as that user, or choose another folder: DATA_DIR=/some/folder npm start',
    );
  }
}

/**
 * Forgets what earlier starts left. What lies in a database of the user's own stays, and with it the secrets, without
 * which that database could not be read any more.
 */
export function forget(dataDir: string, keepSecrets: boolean): void {
  const names = keepSecrets ? STATE : [...STATE, SECRETS_FILE];
  for (const name of names) rmSync(join(dataDir, name), { recursive: true, force: true });
}
