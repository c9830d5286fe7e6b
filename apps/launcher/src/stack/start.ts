import type { LauncherConfig } from '../config.js';
import { forget, prepareDataDir } from '../state/data-dir.js';
import { lockInstance } from '../state/instance-lock.js';
import { parseStartOptions, START_HELP } from './start-options.js';
import { refuseTakenPort } from '../processes/ports.js';
import { readyScreen, say } from '../screen.js';
import { Stack, StoppedError } from './stack.js';
import { removeStackFile } from '../state/stack-file.js';

/** Runs `npm start`: brings everything up, waits for the end, takes everything down; returns the exit code. */
export async function start(argv: string[], readConfig: () => LauncherConfig): Promise<number> {
  const options = parseStartOptions(argv);
  if (options.help) {
    say(START_HELP);
    return 0;
  }
  const startedAt = performance.now();
  const config = readConfig();
  const { dataDir } = config;
  prepareDataDir(dataDir);
  await lockInstance(dataDir);
  if (options.fresh) startAfresh(config);
  removeStackFile(dataDir); // a start that was killed leaves one
  await refuseTakenPort(config.gatewayPort);
  say(`Starting the gateway; state in ${dataDir}\n`);

  const stack = new Stack(config);
  const stopped = stopOnSignal(stack);
  try {
    const description = await stack.start();
    say(readyScreen(description, dataDir, (performance.now() - startedAt) / 1000));
  } catch (error) {
    await stack.stop();
    if (!(error instanceof StoppedError)) throw error;
  }
  await stopped;
  say('Stopped.');
  return 0;
}

function startAfresh({ dataDir, databaseUrl }: LauncherConfig): void {
  forget(dataDir, databaseUrl !== undefined);
  say(`Forgot what earlier starts left in ${dataDir}.`);
  if (databaseUrl) say('The database of DATABASE_URL keeps its data, and secrets.json stays with it.');
}

/**
 * Resolves when the first signal has stopped everything; a second one forces. npm passes on a Ctrl-C that the terminal
 * has already sent to us, so what comes within a moment of the first is the same one.
 */
function stopOnSignal(stack: Stack): Promise<void> {
  const SAME_ONE_MS = 500;
  let firstAt: number | undefined;
  return new Promise((resolve, reject) => {
    const onSignal = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        say('\nStopping; once more Ctrl-C forces it.');
        stack.stop().then(resolve, reject);
      } else if (performance.now() - firstAt > SAME_ONE_MS) {
        stack.kill();
        process.exit(1);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
