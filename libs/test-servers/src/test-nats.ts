import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NATS_RIGHTS, natsUsers, startNats } from '@svc/local-servers';
import { testRun } from './config.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A nats-server of one test file. */
export interface TestNats {
  url: string;
  /** Silences the server, whose connections stay open; `resume` wakes it up again. */
  pause(): void;
  resume(): void;
  /** Ends the server with SIGKILL and leaves it down until `restart`. */
  kill(): Promise<void>;
  /** Ends the server with SIGKILL, if it still runs, and starts it again on the same port; its storage stays unless `wipe`, its configuration unless `config`. */
  restart(options?: { wipe?: boolean; config?: string }): Promise<void>;
  stop(): Promise<void>;
}

/** Password of every user of a test's nats-server, which lives as long as its file and listens on loopback. */
const PASSWORD = 'password of the tests';
/** User who may do everything: a test that names no user, so that it plays the other side and looks behind the scenes. */
const EVERYTHING = 'tests';

/** Returns the variables by which a service logs in to NATS as itself, so that it may do under test what it may do elsewhere. */
export const natsLogin = (service: string): { NATS_USER: string; NATS_PASSWORD: string } => ({
  NATS_USER: service in NATS_RIGHTS ? service : EVERYTHING,
  NATS_PASSWORD: PASSWORD,
});

function usersOfServices(): string {
  const users = [...Object.keys(NATS_RIGHTS), EVERYTHING];
  const passwords = Object.fromEntries(users.map((user) => [user, PASSWORD]));
  return natsUsers({ passwords, everything: EVERYTHING, unnamed: EVERYTHING });
}

/**
 * Starts a nats-server with JetStream for this test file alone, so that streams and queue groups never meet.
 * @param config text of its configuration file; each service has its user and rights, and a client who names none every right, where it is absent
 */
export async function startTestNats(config = usersOfServices()): Promise<TestNats> {
  const dataDir = temporaryDirectory('nats');
  const binary = testRun.natsBinary;
  let text = config;
  const launch = (port?: number): ReturnType<typeof startNats> =>
    startNats({
      dataDir,
      config: text,
      ...(binary ? { binary } : {}),
      ...(port ? { port } : {}),
    });
  let server = await launch();
  let running = true;
  const kill = async (): Promise<void> => {
    if (running) process.kill(server.pid, 'SIGKILL');
    running = false;
    await server.stop();
  };
  return {
    url: server.url,
    pause: () => process.kill(server.pid, 'SIGSTOP'),
    resume: () => process.kill(server.pid, 'SIGCONT'),
    kill,
    restart: async ({ wipe = false, config: next = text } = {}) => {
      await kill();
      text = next;
      if (wipe) await rm(join(dataDir, 'store'), { recursive: true, force: true });
      server = await launch(server.port);
      running = true;
    },
    stop: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
