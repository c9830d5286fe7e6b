import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Login, loginName, loginOf, loginUrl } from '@svc/database/logins';
import type { ServiceRow } from '../services/services.js';
import { refuse } from './refuse.js';

/** File with the `DATABASE_URL` of one service, as `env_file`, `EnvironmentFile` and `--from-env-file` read it. */
export interface LoginFile {
  path: string;
  login: Login;
  /** Text to be written, where the password was invented. */
  text?: string;
}

const LINE = /^DATABASE_URL=(.*)$/m;
/** A password of these characters is the same to everybody who prepares it (SASLprep). */
const ASCII = /^[\x20-\x7e]+$/;

/**
 * Plans the file of a service. One that is there says name and password, unless another password is wanted; what else stands in it stays.
 * @param ownerUrl address of the database where a file says no other
 * @throws AppError `VALIDATION_FAILED` where the file names no login
 */
export function loginFile(
  folder: string,
  { name: service, schema }: ServiceRow,
  ownerUrl: string,
  renew: boolean,
): LoginFile {
  const path = join(folder, `${service}.env`);
  const password = randomBytes(32).toString('base64url');
  if (!existsSync(path)) {
    const login = { schema, name: loginName(schema), password, mustBeNew: !renew };
    return { path, login, text: `DATABASE_URL=${loginUrl(ownerUrl, login)}\n` };
  }
  const text = readFileSync(path, 'utf8');
  const url = LINE.exec(text)?.[1]?.trim() ?? '';
  const stored = storedLogin(path, url);
  if (!renew) return { path, login: { schema, ...stored } };
  const login = { schema, name: stored.name, password };
  return { path, login, text: text.replace(LINE, () => `DATABASE_URL=${loginUrl(url, login)}`) };
}

function storedLogin(path: string, url: string): Pick<Login, 'name' | 'password'> {
  const login = readLogin(url);
  if (!login?.name || !ASCII.test(login.password))
    throw refuse(
      `${path} must have a line DATABASE_URL=postgres://<login>:<password>@<host>/<database>, the password of ASCII characters. ` +
        'Write it, or delete the file to have a password invented.',
    );
  return login;
}

function readLogin(url: string): Pick<Login, 'name' | 'password'> | undefined {
  try {
    return /^postgres(ql)?:/.test(url) ? loginOf(url) : undefined;
  } catch {
    return undefined; // it is no address
  }
}
