import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  ChangeSession,
  CreateSession,
  type Envelope,
  GetSession,
  GetSessionQr,
  type OutboundContent,
  SendMessage,
  type SendMessageV1,
  type SessionState,
  type SessionStatus,
} from '@svc/contracts';
import { envelopeOf, type Messaging } from '@svc/messaging';
import {
  natsConnectionOf,
  type ServiceProcess,
  startProcess,
  startTestService,
  temporaryDirectory,
  type TestService,
  waitFor,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { WhatsAppPlatform } from '../src/platform/whatsapp/whatsapp-platform.js';
import { serviceOptions } from '../src/service-options.js';

/** Limit of a test with several logins, in ms; they take a second or two on an idle machine. */
export const LONG_MS = 60_000;
const SIMULATOR = fileURLToPath(new URL('../../simulator/dist/bundle/main.js', import.meta.url));

/** Makes the platform's message id of a job. */
export const keyIdOf = (jobId: string): string => new WhatsAppPlatform().keyIdOf(jobId);

/** A message in a contact's inbox. */
export interface Received {
  id: string;
  text: string;
  group: string | null;
  /** Content in the form of the gateway's `MessageBody`. */
  content: Record<string, unknown>;
  /** The platform's message as JSON. */
  message: Record<string, unknown>;
  duplicates: number;
}

/** Platform of the tests: the simulator as a process of its own, driven over its control API. */
export class Platform {
  private constructor(
    private readonly process: ServiceProcess,
    readonly websocket: string,
    readonly control: string,
    readonly trustRoot: string,
  ) {}

  /** Starts a platform; another seed makes other keys, so that it is another platform. */
  static async start(seed?: string): Promise<Platform> {
    const process = await startProcess(SIMULATOR, {
      SIMULATOR_PORT: '0',
      SIMULATOR_CONTROL_PORT: '0',
      ...(seed ? { SIMULATOR_SEED: seed } : {}),
    });
    const { websocket, control, trustRoot } = process.ready as Record<string, string>;
    return new Platform(process, websocket as string, control as string, trustRoot as string);
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.control}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Lists the messages that a contact has received, in order. */
  async inbox(contact: string): Promise<Received[]> {
    const page = await this.call<{ items: Received[] }>('GET', `/contacts/${contact}/messages`);
    return page.items;
  }

  /** Counts the stanzas that it has for an account without a confirmation. */
  async queued(phone: string): Promise<number> {
    const account = await this.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
    return account.devices[0]?.queued ?? 0;
  }

  /** Waits until it has nothing more for an account. */
  async emptied(phone: string): Promise<void> {
    await waitFor('the platform to keep nothing', async () => (await this.queued(phone)) === 0, LONG_MS);
  }

  /** Reads the certificate of the authority of its media host, as PEM. */
  async authority(): Promise<string> {
    return (await fetch(`${this.control}/media/ca.pem`)).text();
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}

/** Makes the variables of a worker beside those of its servers. */
export function workerEnv(platform: Platform): Record<string, string> {
  return {
    SVC_MODE: 'development',
    PLATFORM_URL: platform.websocket,
    PLATFORM_TRUST_ROOT: platform.trustRoot,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    CONTACT_HASH_KEY: randomBytes(32).toString('hex'),
    WORKER_NAME: 'worker-under-test',
    MEDIA_DIR: temporaryDirectory('media'),
  };
}

/** Stage of the tests: a worker in this process, its platform, and every event it publishes, also those it publishes again. */
export class Stage {
  readonly tenantId = randomUUID();
  readonly events: Envelope<Record<string, unknown>>[] = [];

  private constructor(
    readonly worker: TestService,
    readonly platform: Platform,
  ) {}

  get messaging(): Messaging {
    return this.worker.messaging;
  }

  static async start(env: Record<string, string> = {}): Promise<Stage> {
    const platform = await Platform.start();
    return Stage.of(
      await startTestService(serviceOptions, schema, { ...workerEnv(platform), ...env }),
      platform,
    );
  }

  /** Makes a stage around a worker that runs already. */
  static of(worker: TestService, platform: Platform): Stage {
    const stage = new Stage(worker, platform);
    natsConnectionOf(stage.messaging).subscribe('evt.>', {
      callback: (_error, message) =>
        void stage.events.push(message.json<Envelope<Record<string, unknown>>>()),
    });
    return stage;
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.platform.stop();
  }

  /** Lists the events of a name and session, in order, each once: their readers know the ids. */
  eventsOf(name: string, sessionId: string): Record<string, unknown>[] {
    const of = this.events.filter(({ type, data }) => type === name && data['sessionId'] === sessionId);
    return [...new Map(of.map(({ id, data }) => [id, data])).values()];
  }

  /** Lists the ids of the events of a name and job, as often as they were published. */
  idsOf(name: string, jobId: string): string[] {
    return this.events
      .filter(({ type, data }) => type === name && data['jobId'] === jobId)
      .map(({ id }) => id);
  }

  /** Waits for the event of a name and job. */
  async event(name: string, jobId: string): Promise<Record<string, unknown>> {
    const find = () => this.events.find(({ type, data }) => type === name && data['jobId'] === jobId);
    return (await waitFor(name, find, LONG_MS)).data;
  }

  async create(): Promise<string> {
    const sessionId = randomUUID();
    await this.worker.rpc.request(
      CreateSession,
      { tenantId: this.tenantId, sessionId, name: 'test' },
      LONG_MS,
    );
    return sessionId;
  }

  async get(sessionId: string): Promise<SessionState> {
    return (await this.worker.rpc.request(GetSession, { tenantId: this.tenantId, sessionId })).session;
  }

  async change(sessionId: string, action: 'connect' | 'disconnect' | 'logout' | 'delete'): Promise<void> {
    await this.worker.rpc.request(ChangeSession, { tenantId: this.tenantId, sessionId, action }, LONG_MS);
  }

  async reached(sessionId: string, status: SessionStatus): Promise<SessionState> {
    const asked = async (): Promise<SessionState | false> => {
      const session = await this.get(sessionId);
      return session.status === status && session;
    };
    return waitFor(`session is ${status}`, asked, LONG_MS);
  }

  async qr(sessionId: string): Promise<string> {
    const asked = () => this.worker.rpc.request(GetSessionQr, { tenantId: this.tenantId, sessionId });
    const { qr } = await waitFor('a QR code', asked, LONG_MS);
    return qr;
  }

  /** Creates a session and links it to this number. */
  async link(phone: string): Promise<string> {
    const sessionId = await this.create();
    await this.scan(sessionId, phone);
    return sessionId;
  }

  /** Scans the session's QR code with the phone of this number. */
  async scan(sessionId: string, phone: string): Promise<void> {
    await this.platform.call('POST', `/accounts/${phone}/scan`, { qr: await this.qr(sessionId) });
    await this.reached(sessionId, 'CONNECTED');
  }

  /** Queues a text, or other content, for a number or an address, as the gateway does. */
  async send(
    sessionId: string,
    to: string,
    content: string | OutboundContent,
    jobId: string = randomUUID(),
    acceptedAt = new Date(),
    options: Partial<Omit<SendMessageV1, 'jobId' | 'sessionId' | 'to' | 'content'>> = {},
  ): Promise<string> {
    const data = {
      jobId,
      sessionId,
      to: to.includes('@') ? to : `${to}@s.whatsapp.net`,
      content: typeof content === 'string' ? { type: 'text' as const, text: content } : content,
      clientMessageId: null,
      acceptedAt: acceptedAt.toISOString(),
      ...options,
    };
    const envelope = envelopeOf(SendMessage, { tenantId: this.tenantId }, data);
    await this.messaging.publishCommand(sessionId, envelope);
    return jobId;
  }

  /** Waits for the first reason for which the session was disconnected. */
  async firstLoss(sessionId: string, limitMs = LONG_MS): Promise<unknown> {
    const reason = () => this.eventsOf('session.disconnected', sessionId)[0]?.['reason'];
    return waitFor('session.disconnected', reason, limitMs);
  }

  /** Waits until the session is connected again, each text that was written to it has one event, and the platform has none left for it. */
  async recovered(sessionId: string, phone: string): Promise<unknown[]> {
    await this.reached(sessionId, 'CONNECTED');
    const received = () => this.eventsOf('message.received', sessionId);
    await waitFor('message.received', () => received().length > 0, LONG_MS);
    await this.platform.emptied(phone);
    return received().map(({ body }) => (body as { text: string }).text);
  }
}
