import { fileURLToPath } from 'node:url';
import {
  natsLogin,
  type ServiceProcess,
  serviceUrl,
  startProcess,
  startTestServers,
  type TestServers,
  type TestService,
  waitFor,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { LONG_MS, Platform, Stage, workerEnv } from './support.js';

const WORKER = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));

/** A worker that is a process of its own: it can be killed, and its sessions trust the platform's media host. */
export class WorkerProcess implements TestService {
  private process: ServiceProcess | undefined;

  readonly database: TestServers['database'];
  readonly nats: TestServers['nats'];
  readonly rpc: TestServers['rpc'];
  readonly messaging: TestServers['messaging'];

  private constructor(
    private readonly servers: TestServers,
    private readonly env: Record<string, string>,
  ) {
    ({ database: this.database, nats: this.nats, rpc: this.rpc, messaging: this.messaging } = servers);
  }

  /** Makes a stage with its worker as a process. */
  static async stage(env: Record<string, string> = {}): Promise<{ stage: Stage; worker: WorkerProcess }> {
    const [platform, servers] = await Promise.all([
      Platform.start(),
      startTestServers(serviceOptions, schema),
    ]);
    const { database, nats } = servers;
    const worker = new WorkerProcess(servers, {
      ...{ DATABASE_URL: serviceUrl(database, schema), NATS_URL: nats.url, OPS_PORT: '0', LOG_LEVEL: 'info' },
      ...natsLogin(serviceOptions.name),
      ...workerEnv(platform),
      PLATFORM_CA: await platform.authority(),
      ...env,
    });
    await worker.start();
    return { stage: Stage.of(worker, platform), worker };
  }

  readonly url = '';

  get opsUrl(): string {
    return `http://127.0.0.1:${Number(this.process?.ready['opsPort'])}`;
  }

  /** Names the folder of its media store. */
  get mediaDir(): string {
    return this.env['MEDIA_DIR'] as string;
  }

  /** Reads everything that it wrote to its log since its last start. */
  log(): string {
    return this.process?.output() ?? '';
  }

  /** `dieAt`: it kills itself when it is past this step (src/steps.ts) so many times. */
  async start(dieAt?: { step: string; times: number }): Promise<void> {
    const env = dieAt ? { ...this.env, NODE_OPTIONS: `--import ${killer(dieAt)}` } : this.env;
    this.process = await startProcess(WORKER, env);
  }

  /** Resolves when it has ended by itself. */
  async died(): Promise<void> {
    await waitFor('the worker to die', () => !isAlive(this.process?.pid as number), LONG_MS);
  }

  async kill(): Promise<void> {
    await this.process?.stop('SIGKILL');
  }

  /** Starts it again with these variables. */
  async restart(env: Record<string, string>): Promise<void> {
    await this.kill();
    Object.assign(this.env, env);
    await this.start();
  }

  /** Starts it again with another key, and with the key before. */
  async changeKey(name: string, key: string): Promise<void> {
    await this.restart({ [name]: key, [`${name}_PREVIOUS`]: this.env[name] as string });
  }

  get(): never {
    throw new Error('A process has no instances to give.');
  }

  async stop(): Promise<void> {
    await this.process?.stop();
    await this.servers.stop();
  }
}

function killer({ step, times }: { step: string; times: number }): string {
  const script = `import { subscribe } from 'node:diagnostics_channel';
    let left = ${times};
    subscribe('session-worker.step', (step) => {
      if (step === '${step}' && --left === 0) process.kill(process.pid, 'SIGKILL');
    });`;
  return `data:text/javascript,${encodeURIComponent(script)}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
