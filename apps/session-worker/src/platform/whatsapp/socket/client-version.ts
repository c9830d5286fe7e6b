import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from '@whiskeysockets/baileys';

const [PRIMARY, SECONDARY, REVISION] = DEFAULT_CONNECTION_CONFIG.version;

/** Revision that the library names by itself. It is as old as the library's release, and the platform refuses old ones. */
export const LIBRARY_REVISION: number = REVISION;

/** Makes the version that a socket names. */
export const versionOf = (revision: number = REVISION): WAVersion => [PRIMARY, SECONDARY, revision];
