import 'reflect-metadata';
import { ConfigError, log, setUpLogger, silenceConsole } from '@svc/service';
import { simulatorConfig } from './config.js';
import { type Simulator, startSimulator } from './simulator.js';

// The console is silent because the Signal library prints private keys to it.
silenceConsole();

// A signal is often followed by the end of the parent.
let stopping = false;

process.on('unhandledRejection', (error) => log().error({ err: error }, 'something failed unheard'));

try {
  const config = simulatorConfig();
  setUpLogger('simulator', config.logLevel);
  const simulator = await startSimulator(config);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(simulator));
  // The parent process is gone: no other one would stop this.
  process.once('disconnect', () => void stop(simulator));
  const { websocket, control, trustRoot, mediaHost, llm } = simulator;
  process.send?.({ type: 'ready', websocket, control, trustRoot, mediaHost, llm });
} catch (error) {
  const words = error instanceof ConfigError ? error.message : String((error as Error).message);
  process.stderr.write(`simulator cannot start. ${words}\n`);
  process.exit(1);
}

async function stop(simulator: Simulator): Promise<void> {
  if (stopping) return;
  stopping = true;
  await simulator.close();
  log().info('simulator has stopped');
  process.exit(0);
}
