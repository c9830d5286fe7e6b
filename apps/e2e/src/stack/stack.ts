import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NatsAccess } from '@svc/messaging';
import { Agent, type Dispatcher, request } from 'undici';
import { LAUNCHER, ROOT } from '../repository.js';

const START_LIMIT_MS = 120_000;
/** The limit of a call until its answer, with the wait for a free connection. */
const CALL_LIMIT_MS = 60_000;
/** The connections to each server. A slow one makes further calls wait here; in its listen queue (511) the rest would be cut off. */
const agent = new Agent({ connections: 256 });

/** `DATA_DIR/stack.json`, as far as it is read here; the launcher writes it (`stack-file.ts`). */
export interface StackFile {
  gateway: string;
  operator: string[];
  /** Addresses of the platform; no `control`: it is not our own. */
  platform: { websocket: string; trustRoot: string; control: string | null; llm: string | null };
  postgres: string;
  nats: string;
  /** Passwords of the users of its own nats-server. */
  natsUsers?: Record<string, string>;
  processes: { name: string; pid: number }[];
}

/** An HTTP answer with its parsed body. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Pick<Headers, 'get'>;
  body: T;
}

/** Stack: a running gateway with everything around it, one's own in a temporary folder, or one that runs already. */
export class Stack {
  /** Stacks in temporary folders that run, or are coming up. */
  private static readonly started = new Set<Stack>();
  private firstRead?: StackFile;

  private constructor(
    readonly dataDir: string,
    private readonly launcher: ChildProcess | undefined,
  ) {}

  /** The stack that `npm start` runs, if it does. */
  static running(dataDir = process.env['DATA_DIR'] ?? join(ROOT, '.data')): Stack | undefined {
    const stack = new Stack(dataDir, undefined);
    if (!existsSync(join(dataDir, 'stack.json'))) return undefined;
    return stack.file.processes.every(({ pid }) => isAlive(pid)) ? stack : undefined;
  }

  /**
   * Starts a private one; `env` as `npm start` takes it. Always with the simulator, because it is where things are
   * counted, whatever platform the environment names. `roots`: see `startFrom`.
   */
  static async start(env: Record<string, string> = {}, roots: Record<string, string> = {}): Promise<Stack> {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
    writeRoots(dataDir, roots);
    const launcher = spawn(process.execPath, [LAUNCHER, 'start'], {
      env: {
        ...process.env,
        ...{ GATEWAY_PORT: '0', PLATFORM_URL: '', PLATFORM_TRUST_ROOT: '' },
        ...env,
        DATA_DIR: dataDir,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    launcher.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    launcher.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const stack = new Stack(dataDir, launcher);
    Stack.started.add(stack);
    const deadline = performance.now() + START_LIMIT_MS;
    while (!existsSync(join(dataDir, 'stack.json'))) {
      if (hasEnded(launcher) || performance.now() > deadline) {
        await stack.stop();
        throw new Error(`The stack did not start:\n${output}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    return stack;
  }

  /** Stops whatever `start` started in this process. */
  static async stopAll(): Promise<void> {
    await Promise.all([...Stack.started].map((stack) => stack.stop()));
  }

  /** Reads the description of the stack as it is now. */
  get file(): StackFile {
    return JSON.parse(readFileSync(join(this.dataDir, 'stack.json'), 'utf8')) as StackFile;
  }

  /** Returns what connects to NATS as somebody who may do everything there. */
  get nats(): NatsAccess {
    const { nats, natsUsers } = this.fixed;
    return { url: nats, ...(natsUsers ? { user: 'owner', password: natsUsers['owner'] } : {}) };
  }

  /** The addresses, which stay whatever is started again: a call need not look them up. */
  private get fixed(): StackFile {
    return (this.firstRead ??= this.file);
  }

  /** Says whether contacts can be played on it. */
  get hasSimulator(): boolean {
    return this.fixed.platform.control !== null;
  }

  /** Stops what `start` started and forgets its state; leaves a stack that ran before alone. */
  async stop(): Promise<void> {
    if (!this.launcher) return;
    const { launcher } = this;
    if (!hasEnded(launcher)) {
      const ended = new Promise((done) => launcher.once('exit', done));
      launcher.kill('SIGTERM');
      await ended;
    }
    await rm(this.dataDir, { recursive: true, force: true });
    Stack.started.delete(this);
  }

  /** Says from which copy of the repository processes are started from now on, by their names; all others are of this one. */
  startFrom(roots: Record<string, string>): void {
    writeRoots(this.dataDir, roots);
  }

  /** Ends a process of the stack the hard way; the launcher starts it again. */
  kill(name: string): void {
    process.kill(this.pidOf(name), 'SIGKILL');
  }

  /** @throws Error when there is no process of this name. */
  pidOf(name: string): number {
    const found = this.file.processes.find((one) => one.name === name);
    if (!found)
      throw new Error(`No process ${name} in ${this.file.processes.map((one) => one.name).join(', ')}`);
    return found.pid;
  }

  /** Runs the operator CLI and reads the object it prints. */
  async operator<T>(...args: string[]): Promise<T> {
    const [command, ...prefix] = this.file.operator as [string, ...string[]];
    const { stdout } = await promisify(execFile)(command, [...prefix, ...args]);
    return JSON.parse(stdout) as T;
  }

  /** Makes a REST call; `key` undefined sends none. */
  api<T = Record<string, unknown>>(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    return call(`${this.fixed.gateway}${path}`, method, body, {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...headers,
    });
  }

  /** Calls the simulator's control API; anything but success throws. */
  async platform<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
    const { control } = this.fixed.platform;
    if (control === null)
      throw new Error('This stack has no simulator: its platform is that of PLATFORM_URL.');
    const answer = await call<T>(`${control}${path}`, method, body, {});
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

async function call<T>(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer<T>> {
  const {
    statusCode,
    headers: answered,
    body: content,
  } = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
    dispatcher: agent,
  });
  const text = await content.text();
  const isJson = String(answered['content-type']).includes('json');
  return {
    status: statusCode,
    headers: { get: (name) => answered[name]?.toString() ?? null },
    body: (isJson ? JSON.parse(text) : { text }) as T,
  };
}

/** Writes the file that the launcher reads at each start of a process (`roots.ts`), all of it or nothing. */
function writeRoots(dataDir: string, roots: Record<string, string>): void {
  const file = join(dataDir, 'roots.json');
  writeFileSync(`${file}.new`, JSON.stringify(roots));
  renameSync(`${file}.new`, file);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
