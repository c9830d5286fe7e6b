import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateEndpoint,
  type Envelope,
  MessageReceived,
  type MessageReceivedV1,
  phoneAddress,
} from '@svc/contracts';
import { envelopeOf, Messaging, RpcClient } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import pg from 'pg';
import { Program } from './program.js';
import { Stack } from './stack.js';

/** The dispatcher's process in a stack. */
export const DISPATCHER = 'webhook-dispatcher';
/** Servers, which serve all processes. */
const SERVERS = ['postgres', 'nats-server'];
const LIMIT_MS = 300_000;

/** A tenant with one endpoint. */
export interface Subscriber {
  tenantId: string;
  sessionId: string;
}

/** Scene of webhooks: a dispatcher with its servers, receivers in a process of their own, and a publisher of events. */
export class WebhookScene {
  private published = 0;

  private constructor(
    readonly stack: Stack,
    readonly receivers: Program,
    private readonly origin: string,
    private readonly messaging: Messaging,
    private readonly rpc: RpcClient,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<WebhookScene> {
    const stack = await Stack.start(env);
    const { program, first } = await Program.start<{ port: number }>('receiver.mjs');
    const messaging = await Messaging.connect({ ...stack.nats, name: 'bench' });
    const rpc = RpcClient.at(stack.nats, 'bench');
    const scene = new WebhookScene(stack, program, `http://127.0.0.1:${first.port}`, messaging, rpc);
    scene.signalOthers('SIGSTOP');
    return scene;
  }

  async stop(): Promise<void> {
    await Promise.all([this.messaging.onApplicationShutdown(), this.rpc.onApplicationShutdown()]);
    this.receivers.stop();
    this.signalOthers('SIGCONT');
    await this.stack.stop();
  }

  get dispatcherPid(): number {
    return this.stack.pidOf(DISPATCHER);
  }

  urlOf(path: string): string {
    return `${this.origin}/${path}`;
  }

  /**
   * Makes so many tenants with an endpoint each, whose receivers do what this path says (`bare/receiver.mjs`). The other processes run
   * meanwhile: the gateway takes the audit lines, which would be offered to it again and again while something is measured.
   */
  async subscribe(path: string, count: number): Promise<Subscriber[]> {
    const subscribers: Subscriber[] = [];
    this.signalOthers('SIGCONT');
    for (let n = 0; n < count; n += 1) {
      const tenantId = randomUUID();
      const request = { tenantId, name: path, url: this.urlOf(`${path}/${n}`), events: [] };
      await this.rpc.request(CreateEndpoint, request);
      subscribers.push({ tenantId, sessionId: randomUUID() });
    }
    this.signalOthers('SIGSTOP');
    return subscribers;
  }

  private signalOthers(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of othersIn(this.stack)) process.kill(pid, signal);
  }

  /** Makes an event of a conversation of its own. */
  event({ tenantId, sessionId }: Subscriber): Envelope<MessageReceivedV1> {
    const messageId = randomUUID();
    const contact = `4915${messageId.replace(/\D/g, '').slice(0, 9)}`;
    const address = { remoteJid: phoneAddress(contact), phone: `+${contact}`, pushName: 'Ada' };
    const body = { type: 'text' as const, text: 'x'.repeat(400) };
    const timestamp = new Date().toISOString();
    const data = {
      sessionId,
      messageId,
      ...address,
      keyId: messageId.slice(0, 8),
      body,
      timestamp,
      fromMe: false,
    };
    return envelopeOf(MessageReceived, { tenantId }, data);
  }

  /** Resolves when the stream has it. */
  async put(event: Envelope<MessageReceivedV1>): Promise<void> {
    await this.messaging.publishEvent(event);
    this.published += 1;
  }

  /** Publishes so many events, in turn to each of these, as fast as the stream takes them. */
  async flood(subscribers: Subscriber[], count: number): Promise<void> {
    let left = count;
    const publisher = async (): Promise<void> => {
      while (left-- > 0) await this.put(this.event(subscribers[left % subscribers.length] as Subscriber));
    };
    await Promise.all(Array.from({ length: 128 }, publisher));
  }

  /**
   * Publishes events at a rate, whatever their deliveries end as. Resolves when the stream has them all.
   * @returns when each was to be published, in ms since 1970, by message.
   */
  async publish(subscribers: Subscriber[], perSecond: number, seconds: number): Promise<Map<string, number>> {
    const intended = new Map<string, number>();
    const underWay: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < perSecond * seconds; n += 1) {
      const at = startedAt + (n * 1000) / perSecond;
      if (at > performance.now()) await delay(at - performance.now());
      const event = this.event(subscribers[n % subscribers.length] as Subscriber);
      intended.set(event.data.messageId, performance.timeOrigin + at);
      underWay.push(this.put(event));
    }
    await Promise.all(underWay);
    return intended;
  }

  /** Measures how long after its intended time each event at a rate came to its receiver, in ms, sorted; those that never came are missing. */
  async latencies(subscribers: Subscriber[], perSecond: number, seconds: number): Promise<number[]> {
    await this.firstArrivals();
    const intended = await this.publish(subscribers, perSecond, seconds);
    const arrivals = new Map<string, number>();
    const all = async (): Promise<boolean> => {
      for (const [id, at] of await this.firstArrivals()) if (intended.has(id)) arrivals.set(id, at);
      return arrivals.size === intended.size;
    };
    await waitFor('every webhook', all, LIMIT_MS).catch(() => undefined); // missing ones are counted
    return [...arrivals].map(([id, at]) => at - (intended.get(id) ?? 0)).sort((a, b) => a - b);
  }

  /** Resolves when the dispatcher has taken in all that was published. */
  async quiet(): Promise<void> {
    const taken = async (): Promise<boolean> => {
      await delay(500); // it counts rows
      return (
        (await this.number(
          "SELECT count(*)::int AS n FROM webhooks.webhook_event WHERE kind = 'message.received'",
        )) >= this.published
      );
    };
    await waitFor('all events to be taken in', taken, LIMIT_MS);
  }

  /** Counts deliveries that are neither delivered nor dead yet. */
  pending(): Promise<number> {
    return this.number('SELECT count(*)::int AS n FROM webhooks.webhook_delivery');
  }

  /** Waits until so many posts more than `before` have come. */
  async posted(before: number, count: number): Promise<void> {
    await waitFor('every post', async () => (await this.posts()) - before >= count, LIMIT_MS);
  }

  async posts(): Promise<number> {
    return (await this.counts()).posts;
  }

  /** Makes the receivers keep no more than the number of the posts so far: they are to be as fast for the next sender. */
  async forget(): Promise<void> {
    await this.receivers.ask('forget');
  }

  /** Counts what came to the receivers so far. */
  async counts(): Promise<{ posts: number; answered: number; otherIds: number }> {
    const { result } = (await this.receivers.ask('count')) as {
      result: { posts: number; answered: number; otherIds: number };
    };
    return result;
  }

  /** Lists delivery id and signed time (ms since 1970) of each post that came, with a space between. */
  async attempts(): Promise<string[]> {
    return ((await this.receivers.ask('attempts')) as { result: string[] }).result;
  }

  /** Runs a statement as the owner of the database. */
  async execute(sql: string, parameters: unknown[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.stack.file.postgres);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  private async number(sql: string): Promise<number> {
    return Number((await this.execute(sql, []))[0]?.['n'] ?? 0);
  }

  private async firstArrivals(): Promise<[id: string, at: number][]> {
    return ((await this.receivers.ask('arrivals')) as { result: [string, number][] }).result;
  }
}

/** Lists the processes that get every event as well; their work is not what is measured. */
function othersIn({ file }: Stack): number[] {
  return file.processes.filter(({ name }) => ![DISPATCHER, ...SERVERS].includes(name)).map(({ pid }) => pid);
}
