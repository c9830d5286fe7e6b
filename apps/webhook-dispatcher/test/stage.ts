import { randomBytes, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Abstract } from '@nestjs/common';
import {
  CreateEndpoint,
  DELIVERY_STATUSES,
  type DeliveryView,
  type Envelope,
  ListDeliveries,
  partitionOf,
  PauseEndpoint,
  type PublicEvent,
  PutBoundEndpoint,
  type PutBoundEndpointV1,
  ReactivateEndpoint,
  type WebhookEndpointWithSecret,
} from '@svc/contracts';
import type { RpcClient } from '@svc/messaging';
import {
  AuditChain,
  type BootedService,
  bootTestService,
  DatabaseProxy,
  natsLogin,
  type ServiceProcess,
  serviceUrl,
  startProcess,
  startTestServers,
  type TestDatabase,
  type TestNats,
  type TestServers,
  waitFor,
  WebhookReceiver,
} from '@svc/testing';
import { IngestService } from '../src/events/ingest.service.js';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { Producer } from './producer.js';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '../dist/bundle/main.js');

/** A short schedule, local receivers, and so much time for an attempt that a busy machine does not run out of it. */
const ENV = {
  SVC_MODE: 'development',
  OPS_PORT: '0',
  WORKER_NAME: 'dispatcher-under-test',
  WEBHOOK_RETRY_DELAYS_MS: '0,50,100,150,200',
  WEBHOOK_TIMEOUT_MS: '10000',
  WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
};

/** Longest wait for what takes seconds, in ms: a start, a lease that is taken from its owner, an event that is handed out again. */
export const PATIENCE_MS = 60_000;

/** A row of what is not delivered yet. */
export interface HotRow {
  id: string;
  state: string;
  attempt: number;
}

/** Subscriber: a tenant with one endpoint, on a path of its own; no other endpoint posts there. */
export interface Subscriber {
  tenantId: string;
  endpointId: string;
  secret: string;
  path: string;
  deliveries(dead?: boolean): Promise<DeliveryView[]>;
  /** Waits for its only delivery to have this status. */
  delivery(status: DeliveryView['status']): Promise<DeliveryView>;
  /** Waits until there are as many deliveries and each is delivered. */
  delivered(count: number): Promise<DeliveryView[]>;
  /** Lists the delivery ids of the POSTs that arrived, in order. */
  posts(): string[];
  hot(): Promise<HotRow[]>;
}

/**
 * Stage of one test file: its servers, the line to the database, and the dispatcher on them: in this process or as processes of its own.
 */
export class Stage {
  database: TestDatabase;
  nats: TestNats;
  receiver: WebhookReceiver;
  proxy: DatabaseProxy;
  producer: Producer;
  rpc: RpcClient;
  /** Receiver of audit facts. */
  chain: AuditChain;
  /** Environment of the dispatcher: its configuration is read once in a process, so it is the same every time. */
  readonly env: Record<string, string>;
  /** Address at which the dispatcher of this process listens. */
  opsUrl: string;
  private servers: TestServers;
  private service: BootedService | undefined;
  private readonly processes: ServiceProcess[] = [];

  private constructor(more: Record<string, string>) {
    this.env = {
      ...ENV,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      CONTACT_HASH_KEY: randomBytes(32).toString('hex'),
      ...more,
    };
  }

  /** Makes a stage that is set up before the tests of the file, and taken down after them; each test finds receiver and line as new. */
  static ofThisFile(more: Record<string, string> = {}): Stage {
    const stage = new Stage(more);
    beforeAll(() => stage.start());
    beforeEach(() => stage.reset());
    afterAll(() => stage.stop());
    return stage;
  }

  /** Starts the dispatcher in this process. */
  async boot(): Promise<void> {
    this.service = await bootTestService(serviceOptions, this.env);
    this.opsUrl = this.service.opsUrl;
  }

  /** Ends the dispatcher in this process, in good order. */
  async close(): Promise<void> {
    const { service } = this;
    this.service = undefined;
    await service?.stop();
  }

  /** Returns a provider of the dispatcher in this process. */
  get<T>(type: Abstract<T>): T {
    if (!this.service) throw new Error('The dispatcher does not run in this process.');
    return this.service.get(type);
  }

  /** Hands an event to the dispatcher in this process, as the stream does. Rejects with why it was not taken. */
  handIn(event: Envelope): Promise<void> {
    return new Promise((done, failed) => {
      const read = { envelope: event, bytes: Buffer.from(JSON.stringify(event.data)) };
      this.get(IngestService).take({ size: 1, read: () => read, done, failed });
    });
  }

  /** Starts the dispatcher as a process of its own. */
  async spawn(more: Record<string, string> = {}): Promise<ServiceProcess> {
    const started = await startProcess(MAIN, { ...this.env, ...natsLogin(serviceOptions.name), ...more });
    this.processes.push(started);
    return started;
  }

  /** Makes a URL at the receiver. */
  at(path: string): string {
    return this.receiver.origin + path;
  }

  /** Registers a tenant-wide endpoint. */
  async endpoint(
    tenantId: string,
    url: string,
    events: PublicEvent[] = [],
  ): Promise<WebhookEndpointWithSecret> {
    const asked = { tenantId, name: 'CRM', url, events };
    // A scene makes many at once, on a machine that may be busy.
    return (await this.rpc.request(CreateEndpoint, asked, PATIENCE_MS)).endpoint;
  }

  /** Pauses or reactivates an endpoint, as its tenant asks for it. */
  async setStatus(tenantId: string, endpointId: string, status: 'PAUSED' | 'ACTIVE'): Promise<void> {
    const asked = { tenantId, endpointId, reason: 'because', actor: 'key:test' };
    await this.rpc.request(status === 'PAUSED' ? PauseEndpoint : ReactivateEndpoint, asked);
  }

  /** Puts the endpoint that is bound to a session; enables it by default. */
  async bind(
    request: Partial<PutBoundEndpointV1> & { tenantId: string; sessionId: string },
  ): Promise<WebhookEndpointWithSecret | null> {
    const put = { enabled: true, rotateSecret: false, ...request };
    return (await this.rpc.request(PutBoundEndpoint, put)).endpoint;
  }

  /**
   * Creates a tenant with an endpoint.
   * @param events its filter; empty: all.
   */
  async subscriber(events: PublicEvent[] = []): Promise<Subscriber> {
    const tenantId = randomUUID();
    const path = `/${tenantId}`;
    const { id: endpointId, secret } = await this.endpoint(tenantId, this.at(path), events);
    const deliveries = (dead = false) => this.deliveries(tenantId, endpointId, dead);
    const once = <T>(what: string, pick: (all: DeliveryView[]) => T | undefined | false): Promise<T> =>
      waitFor(what, async () => pick(await deliveries()), PATIENCE_MS);
    return {
      tenantId,
      endpointId,
      secret,
      path,
      deliveries,
      delivery: (status) =>
        once(
          `the delivery to be ${status}`,
          ([one, ...others]) => others.length === 0 && one?.status === status && one,
        ),
      delivered: (count) =>
        once(
          `${count} to be delivered`,
          (all) => all.length === count && all.every(({ status }) => status === 'DELIVERED') && all,
        ),
      posts: () => this.receiver.bodies(path).map(({ deliveryId }) => deliveryId),
      hot: () => this.hot(tenantId),
    };
  }

  async deliveries(tenantId: string, endpointId: string, dead = false): Promise<DeliveryView[]> {
    const statuses = dead ? (['DEAD'] as const) : DELIVERY_STATUSES;
    const request = { tenantId, endpointId, statuses: [...statuses], limit: 200 };
    return (await this.rpc.request(ListDeliveries, request)).deliveries;
  }

  /** Lists the deliveries of a tenant that are not delivered yet. */
  hot(tenantId: string): Promise<HotRow[]> {
    const sql = 'SELECT id, state, attempt FROM webhooks.webhook_delivery WHERE tenant_id = $1 ORDER BY seq';
    return this.database.query<HotRow>(sql, [tenantId]);
  }

  /**
   * Makes a delivery that the database has as leased and that no process sends, as a commit leaves it whose reply was lost. Its payload is
   * `{}`.
   */
  async orphan({ tenantId, endpointId }: Pick<Subscriber, 'tenantId' | 'endpointId'>): Promise<string> {
    const [eventId, id] = [randomUUID(), randomUUID()];
    await this.database.query(
      `INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
        VALUES ($1, $2, 0, 'message.received', '{}', now())`,
      [eventId, tenantId],
    );
    await this.database.query(
      `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, kind, event_at)
        VALUES ($1, $2, $3, $4, $5, 'leased', now(), 'message.received', now())`,
      [id, eventId, endpointId, tenantId, partitionOf(tenantId)],
    );
    return id;
  }

  /** Lists the partitions that a process owns. */
  async partitionsOf(worker: string): Promise<number[]> {
    const sql = 'SELECT partition FROM webhooks.partition_lease WHERE owner = $1 AND expires_at > now()';
    const rows = await this.database.query<{ partition: number }>(sql, [worker]);
    return rows.map(({ partition }) => partition);
  }

  /** Waits for so many POSTs and lists their paths. */
  pathsOf(count: number): Promise<string[]> {
    const { received } = this.receiver;
    return waitFor(`${count} webhooks`, () => received.length >= count && received.map(({ path }) => path));
  }

  /** Lists the key ids of the POSTs that arrived, in order. */
  keyIds(path?: string): unknown[] {
    return this.receiver.bodies(path).map(({ payload }) => payload['keyId']);
  }

  /** Makes the receiver answer nothing from now on until the gate is opened, and then with this status. */
  holdBack(status = 200): () => void {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    this.receiver.answerWith(async () => (await gate, status));
    return open;
  }

  private async start(): Promise<void> {
    [this.servers, this.receiver] = await Promise.all([
      startTestServers(serviceOptions, schema),
      WebhookReceiver.start(),
    ]);
    ({ database: this.database, nats: this.nats, rpc: this.rpc } = this.servers);
    this.proxy = await DatabaseProxy.start(serviceUrl(this.database, schema));
    this.producer = await Producer.connect(this.nats.url);
    this.chain = await AuditChain.listen(this.nats.url);
    Object.assign(this.env, { DATABASE_URL: this.proxy.url, NATS_URL: this.nats.url });
  }

  private reset(): void {
    this.receiver.received.length = 0;
    this.receiver.answerWith(200);
    this.proxy.flow();
    this.proxy.mend();
    this.chain.behaviour = 'append';
    this.chain.beforeAppend = () => Promise.resolve();
  }

  private async stop(): Promise<void> {
    this.reset();
    await Promise.all([this.close(), ...this.processes.map((one) => one.stop('SIGKILL'))]);
    await Promise.all([this.producer.stop(), this.chain.stop()]);
    await this.receiver.stop();
    await this.proxy.stop();
    await this.servers.stop();
  }
}
