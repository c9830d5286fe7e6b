// Starts what is left of a copy of this work tree, waits until all of it is ready, and ends it in good order.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN_MS = 180_000;
const SERVERS = ['postgres', 'nats-server'];
/** Address at which nobody listens: where the simulator is gone, somebody else's platform has to be named. */
const NO_PLATFORM = 'ws://127.0.0.1:9/ws/chat';

/**
 * Starts the launcher of the copy, which starts the others.
 * @param programs apps that are to run then
 * @throws Error with the output of the launcher
 */
export async function startByLauncher(copy, programs) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-deleted-'));
  const hasSimulator = programs.includes('simulator');
  const launcher = spawn(process.execPath, ['apps/launcher/dist/main.js', 'start'], {
    cwd: copy,
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, GATEWAY_PORT: '0' },
      ...(hasSimulator ? {} : { PLATFORM_URL: NO_PLATFORM }),
    },
  });
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => launcher.once('exit', resolve));
  try {
    const running = await untilReady(join(dataDir, 'stack.json'), launcher);
    const missing = [...programs, ...SERVERS].filter((name) => !running.includes(name));
    if (missing.length > 0) throw new Error(`${missing.join(', ')} did not start.`);
    launcher.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`The launcher ended with ${code}.`);
  } catch (error) {
    throw new Error(`${error.message}\n${output}`);
  } finally {
    if (launcher.exitCode === null) launcher.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Waits for the description of the stack. @returns names of the processes that run */
async function untilReady(file, launcher) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!existsSync(file)) {
    if (launcher.exitCode !== null) throw new Error('The launcher ended before it was ready.');
    if (Date.now() > deadline) throw new Error('The launcher was not ready in time.');
    await delay(100);
  }
  return JSON.parse(readFileSync(file, 'utf8')).processes.map(({ name }) => name);
}
