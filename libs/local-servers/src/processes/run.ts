import { execFile } from 'node:child_process';

/**
 * A Unix user a program runs as. Only root can choose one; `undefined` wherever this appears means "as ourselves".
 */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * The whole environment of every program started here. Inheriting ours would hand service secrets to the servers
 * and let a stray PGOPTIONS or LANG change what they do and the wording of the messages we look for.
 */
export const CLEAN_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Options of a program's run. */
export interface RunOptions {
  user?: ServerUser | undefined;
  /** Its working directory; `/` by default. */
  cwd?: string;
  /** After that time it is killed; a minute by default. */
  timeoutMs?: number;
  /** Package tools need the caller's proxy settings; everything else gets the clean environment. */
  inheritEnvironment?: boolean;
}

/**
 * Runs a program to its end and returns what it printed; rejects with the program's own complaint.
 * The working directory is `/` by default because ours may be closed to the user the program runs as.
 */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { user, cwd = '/', timeoutMs = 60_000, inheritEnvironment = false } = options;
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      {
        cwd,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        ...(user && { uid: user.uid, gid: user.gid }),
        ...(inheritEnvironment ? {} : { env: CLEAN_ENVIRONMENT }),
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        reject(new Error(lastLines(stderr) || error.message, { cause: error }));
      },
    );
  });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n');
}
