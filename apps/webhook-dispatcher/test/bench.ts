import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DeliveryView, ListDeliveries } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { bootService, setUpLogger, silenceConsole } from '@svc/service';
import {
  createTestDatabase,
  type ServiceProcess,
  startProcess,
  startTestNats,
  type TestDatabase,
  type TestNats,
  waitFor,
  WebhookReceiver,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { DatabaseProxy } from './database-proxy.js';
import { anEndpoint, dispatcherEnv, Producer } from './support.js';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '../dist/main.js');

/** The application, in this process. */
export type App = Awaited<ReturnType<typeof bootService>>;

/** A tenant with one endpoint, on a path of its own: what arrives there is nobody else's. */
export interface Subscriber {
  tenantId: string;
  endpointId: string;
  path: string;
  deliveries(): Promise<DeliveryView[]>;
  /** Its only delivery, once it has this status. */
  delivery(status: DeliveryView['status'], timeoutMs?: number): Promise<DeliveryView>;
  /** Delivery ids of the POSTs that arrived, in order. */
  posts(): string[];
  /** Rows of what is not delivered yet. */
  hot(): Promise<{ id: string; state: string; attempt: number }[]>;
}

/** Servers for tests that start and end the dispatcher themselves, with a hand on its line to the database. */
export class Bench {
  private readonly processes: ServiceProcess[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly nats: TestNats,
    readonly receiver: WebhookReceiver,
    readonly proxy: DatabaseProxy,
    readonly producer: Producer,
    readonly rpc: RpcClient,
    private readonly env: Record<string, string>,
  ) {}

  static async start(more: Record<string, string> = {}): Promise<Bench> {
    const [database, nats, receiver] = await Promise.all([
      createTestDatabase(schema),
      startTestNats(),
      WebhookReceiver.start(),
    ]);
    const proxy = await DatabaseProxy.start(database.url);
    const producer = await Producer.connect(nats.url);
    const env = dispatcherEnv({ DATABASE_URL: proxy.url, NATS_URL: nats.url, PORT: '0', ...more });
    const rpc = new RpcClient(nats.url, 'test');
    return new Bench(database, nats, receiver, proxy, producer, rpc, env);
  }

  /** Starts the dispatcher in this process; its configuration is read once, so it is the same every time. */
  async boot(): Promise<App> {
    Object.assign(process.env, this.env);
    silenceConsole();
    setUpLogger('webhook-dispatcher', process.env['TEST_LOG'] ?? 'silent');
    return bootService(serviceOptions);
  }

  /** Starts the dispatcher as a process of its own. */
  async spawn(more: Record<string, string> = {}): Promise<ServiceProcess> {
    const started = await startProcess(MAIN, { ...this.env, ...more });
    this.processes.push(started);
    return started;
  }

  async subscriber(): Promise<Subscriber> {
    const tenantId = randomUUID();
    const path = `/${tenantId}`;
    const { id: endpointId } = await anEndpoint(this.rpc, tenantId, this.receiver.origin + path);
    const request = { tenantId, endpointId, dead: false, limit: 200 };
    const deliveries = async () => (await this.rpc.request(ListDeliveries, request)).deliveries;
    return {
      tenantId,
      endpointId,
      path,
      deliveries,
      delivery: (status, timeoutMs = 20_000) =>
        waitFor(
          `the delivery to be ${status}`,
          async () => {
            const [one, ...others] = await deliveries();
            return others.length === 0 && one?.status === status && one;
          },
          timeoutMs,
        ),
      posts: () => this.receiver.bodies(path).map(({ deliveryId }) => deliveryId),
      hot: () =>
        this.database.query(
          'SELECT id, state, attempt FROM webhooks.webhook_delivery WHERE tenant_id = $1 ORDER BY seq',
          [tenantId],
        ),
    };
  }

  /** From now on the receiver answers nothing until the gate is opened, and then with this status. */
  holdBack(status = 200): () => void {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    this.receiver.answerWith(async () => (await gate, status));
    return open;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop('SIGKILL')));
    await this.producer.stop();
    await this.rpc.onApplicationShutdown();
    await this.receiver.stop();
    await this.proxy.stop();
    await Promise.all([this.database.drop(), this.nats.stop()]);
  }
}
