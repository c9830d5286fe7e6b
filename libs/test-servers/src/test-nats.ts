import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNats } from '@svc/local-servers';
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

/**
 * Starts a nats-server with JetStream for this test file alone (13 ms), so that streams and queue groups never meet.
 * @param config text of its configuration file
 */
export async function startTestNats(config?: string): Promise<TestNats> {
  const dataDir = temporaryDirectory('nats');
  const binary = testRun.natsBinary;
  let text = config;
  const launch = (port?: number): ReturnType<typeof startNats> =>
    startNats({
      dataDir,
      ...(text ? { config: text } : {}),
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
