import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalServer, startOnDirectory } from '../local-server.js';
import { findNatsServer } from './nats-binary.js';
import { findProcesses, takeDown } from '../processes/processes.js';
import { type LogLine, startServerProcess } from '../processes/server-process.js';

/** Options of `startNats`. */
export interface NatsOptions {
  /** A directory of its own for this server; made when missing. Deleting it forgets the data. */
  dataDir: string;
  /** 0 or absent: a free one. */
  port?: number;
  /** Path of `nats-server`; found by `findNatsServer` when absent. */
  binary?: string;
  /** Text of its configuration file, e.g. users and what they may do. It is kept in a file that only the caller's user may read. */
  config?: string;
  log?: LogLine;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1 over the data below `dataDir`, as the user who calls.
 *
 * Servers that a killed process left on the directory are stopped first; a directory in use by a living process is
 * refused. The server ends with this process, however that ends.
 */
export function startNats(options: NatsOptions): Promise<LocalServer> {
  const { log = (): void => undefined, config } = options;
  return startOnDirectory(options, async (home) => {
    const binary = options.binary ?? (await findNatsServer({ log }));
    const store = ['-js', '-sd', join(home, 'store')];
    await removeOrphans(store);
    const configFile = join(home, 'nats.conf');
    if (config !== undefined) await writeFile(configFile, config, { mode: 0o600 });
    return {
      name: 'nats-server',
      dataDir: home,
      url: (port) => `nats://127.0.0.1:${port}`,
      launch: async (port) => {
        for (const old of await portsFiles(home)) await rm(old);
        return startServerProcess({
          command: binary,
          args: [
            ...(config === undefined ? [] : ['-c', configFile]),
            ...store,
            '-a',
            '127.0.0.1',
            '-p',
            String(port),
            '--ports_file_dir',
            home,
          ],
          cwd: home,
          deathSignal: 'TERM',
          stopSteps: [
            ['SIGTERM', 5_000],
            ['SIGKILL', 5_000],
          ],
          log,
        });
      },
      // The server writes this file once the streams are recovered and the port is open. An answer on the port would prove less: it could
      // come from another server there, just before ours gives up.
      isReady: async (_server, port) => {
        const [file] = await portsFiles(home);
        return file !== undefined && (await readFile(file, 'utf8')).includes(`:${port}"`);
      },
    };
  });
}

/** Removes orphans: nats-server does not lock its store, and two of them would ruin it. Who has exactly our store as argument is one. */
function removeOrphans(store: string[]): Promise<void> {
  const argument = `\0${store.join('\0')}\0`;
  return takeDown(
    () => findProcesses(({ argv }) => argv.join('\0').includes(argument)),
    [
      ['SIGTERM', 5_000],
      ['SIGKILL', 5_000],
    ],
  );
}

async function portsFiles(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.endsWith('.ports')).map((name) => join(home, name));
}
