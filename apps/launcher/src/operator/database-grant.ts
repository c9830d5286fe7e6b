import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '@svc/contracts';
import { grantLogins, LoginRefused } from '@svc/database/logins';
import { dataDirOf } from '../config.js';
import { SERVICES, type ServiceRow } from '../services/services.js';
import { writePrivate } from '../state/private-file.js';
import { readStackFile } from '../state/stack-file.js';
import type { Place, Values } from './operator-commands.js';
import { refuse } from './refuse.js';
import { loginFile } from './login-file.js';

/** A login that a service has now, and the file that says how to log in. */
interface GrantedLogin {
  service: string;
  login: string;
  file: string;
  /** The password was invented: processes of the service have to be started with the file as it is now. */
  isNew: boolean;
}

/**
 * Gives services logins of their own, as the owner of the database: those in the files of a folder, and invented ones where a file is missing.
 * A file is written before its login holds, so that no password is lost: whoever is interrupted does it again.
 */
export async function grantDatabase(
  { folder, service, renew }: Values,
  place: Place,
): Promise<{ logins: GrantedLogin[] }> {
  const ownerUrl = ownerUrlOf(place);
  const directory = resolve(String(folder));
  const rows = servicesOf(service as string | undefined);
  const files = rows.map((row) => loginFile(directory, row, ownerUrl, renew === true));
  const logins = files.map(({ login }) => login);
  const write = (): void => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const { path, text } of files) if (text !== undefined) writePrivate(path, text);
  };
  await grantLogins(ownerUrl, logins, write).catch((error: Error) => {
    throw refusalOf(error);
  });
  return {
    logins: files.map(({ path, login, text }, n) => ({
      service: (rows[n] as ServiceRow).name,
      login: login.name,
      file: path,
      isNew: text !== undefined,
    })),
  };
}

function servicesOf(service: string | undefined): readonly ServiceRow[] {
  if (service === undefined) return SERVICES;
  const rows = SERVICES.filter(({ name }) => name === service);
  if (rows.length === 0)
    throw refuse(`--service must be one of ${SERVICES.map(({ name }) => name).join(', ')}.`);
  return rows;
}

/** Finds the address of the database as its owner, as `operator` finds NATS: a folder that is named in the call is preferred. */
function ownerUrlOf({ dataDir, env }: Place): string {
  const file = env['DATABASE_URL_FILE'];
  const given = env['DATABASE_URL'] || (file ? readFileSync(file, 'utf8').trim() : '');
  const directory = dataDir === undefined ? dataDirOf(env) : resolve(dataDir);
  const url = dataDir === undefined && given ? given : readStackFile(directory)?.postgres;
  if (url === undefined)
    throw refuse(
      `No stack runs with the data of ${directory}. Set DATABASE_URL (or DATABASE_URL_FILE) to the address of the database as the user that runs the migrations.`,
    );
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw refuse('DATABASE_URL must be an address that starts with postgres://.');
  return url;
}

function refusalOf(error: Error & { code?: string }): Error {
  if (error instanceof LoginRefused) return refuse(error.message);
  if ('path' in error) return refuse(`The files cannot be written: ${error.message}.`);
  if ('severity' in error) return refuse(`The database refuses: ${error.message}.`);
  const message = `The database does not answer: ${error.message || error.code}.`;
  return new AppError('UPSTREAM_UNAVAILABLE', message, {}, { cause: error });
}
