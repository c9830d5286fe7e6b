import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RpcClient } from '@svc/messaging';
import {
  createTestDatabase,
  type ServiceProcess,
  startProcess,
  startTestNats,
  type TestService,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { Platform, Stage, workerEnv } from './support.js';

const WORKER = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** A worker that is a process of its own: it can be killed, and it trusts the platform's media host. */
export class WorkerProcess implements TestService {
  private process: ServiceProcess | undefined;

  private constructor(
    readonly database: TestService['database'],
    readonly nats: TestService['nats'],
    readonly rpc: RpcClient,
    private readonly env: Record<string, string>,
  ) {}

  /** A stage with its worker as a process. */
  static async stage(env: Record<string, string> = {}): Promise<{ stage: Stage; worker: WorkerProcess }> {
    const [platform, database, nats] = await Promise.all([
      Platform.start(),
      createTestDatabase(schema),
      startTestNats(),
    ]);
    const worker = new WorkerProcess(database, nats, new RpcClient(nats.url, 'test'), {
      ...{ DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0', LOG_LEVEL: 'info' },
      ...workerEnv(platform),
      NODE_EXTRA_CA_CERTS: await authorityOf(platform),
      ...env,
    });
    await worker.start();
    return { stage: await Stage.of(worker, platform), worker };
  }

  get url(): string {
    return `http://127.0.0.1:${Number(this.process?.ready['port'])}`;
  }

  /** Folder of its media store. */
  get mediaDir(): string {
    return this.env['MEDIA_DIR'] as string;
  }

  /** Everything it wrote to its log since it started last. */
  log(): string {
    return this.process?.output() ?? '';
  }

  async start(): Promise<void> {
    this.process = await startProcess(WORKER, this.env);
  }

  async kill(): Promise<void> {
    await this.process?.stop('SIGKILL');
  }

  get(): never {
    throw new Error('A process has no instances to give.');
  }

  async stop(): Promise<void> {
    await this.rpc.onApplicationShutdown();
    await this.process?.stop();
    await Promise.all([this.database.drop(), this.nats.stop()]);
  }
}

async function authorityOf(platform: Platform): Promise<string> {
  const response = await fetch(`${platform.control}/media/ca.pem`);
  const file = join(await mkdtemp(join(tmpdir(), 'media-ca-')), 'ca.pem');
  await writeFile(file, await response.text());
  return file;
}
