import 'reflect-metadata';
import { silenceConsole } from '@svc/service';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator.js';
import { Credentials, PhoneClient, until } from './phone-client.js';

silenceConsole();

export interface Answer<T> {
  status: number;
  body: T;
}

export interface Received {
  id: string;
  text: string | null;
  message: Record<string, unknown>;
  content: Record<string, unknown>;
  duplicates: number;
}

export interface Sent {
  id: string;
  status: string;
  deliveries: number;
  receipts: number;
}

export interface Account {
  jid: string;
  lid: string;
  devices: { device: number; online: boolean; queued: number; connectedAt: string | null }[];
}

/** Stack: the simulator of one test, with its control API at hand. */
export class Stack {
  private readonly clients: PhoneClient[] = [];

  private constructor(
    public simulator: Simulator,
    private readonly options: SimulatorOptions,
  ) {}

  static async start(options: Partial<SimulatorOptions> = {}): Promise<Stack> {
    const full = {
      host: '127.0.0.1',
      port: 0,
      controlPort: 0,
      mediaPort: 0,
      llmPort: 0,
      seed: 'test',
      ...options,
    };
    return new Stack(await startSimulator(full), full);
  }

  /** Stops and starts again on the same ports. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.simulator.websocket).port);
    await this.simulator.close();
    this.simulator = await startSimulator({ ...this.options, port });
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
    await this.simulator.close();
  }

  client(credentials = new Credentials()): PhoneClient {
    const client = new PhoneClient(this.simulator.websocket, this.simulator.trustRoot, credentials);
    this.clients.push(client);
    return client;
  }

  /** A client that is linked to the phone, open and in step with it. */
  async linked(phone: string, options: Record<string, unknown> = {}): Promise<PhoneClient> {
    const client = this.client().connect(options);
    const qr = await until(() => client.qr, 'the QR code');
    const scan = await this.post(`/accounts/${phone}/scan`, { qr });
    if (scan.status !== 200) throw new Error(`the scan was refused: ${JSON.stringify(scan.body)}`);
    await client.closed();
    client.connect(options);
    await client.opened();
    await client.synced();
    return client;
  }

  get<T>(path: string): Promise<Answer<T>> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.call<T>('POST', path, body);
  }

  put<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.call<T>('PUT', path, body);
  }

  async received(contact: string): Promise<Received[]> {
    return (await this.get<{ items: Received[] }>(`/contacts/${contact}/messages`)).body.items;
  }

  /** Waits until a contact has a number of messages. */
  receivedBy(contact: string, count = 1): Promise<Received[]> {
    return until(async () => {
      const items = await this.received(contact);
      return items.length >= count && items;
    }, `${count} messages at ${contact}`);
  }

  async sentBy(contact: string, id: string): Promise<Sent> {
    const { body } = await this.get<{ items: Sent[] }>(`/contacts/${contact}/sent`);
    const sent = body.items.find((item) => item.id === id);
    if (!sent) throw new Error(`${contact} wrote nothing with the id ${id}`);
    return sent;
  }

  /** Waits until what a contact wrote has reached a status. */
  becomes(contact: string, id: string, status: string): Promise<Sent> {
    return until(async () => {
      const sent = await this.sentBy(contact, id);
      return sent.status === status && sent;
    }, `${id} to become ${status}`);
  }

  async write(contact: string, to: string, text: string): Promise<string> {
    return (await this.post<{ id: string }>(`/contacts/${contact}/messages`, { to, text })).body.id;
  }

  async account(phone: string): Promise<Account> {
    return (await this.get<Account>(`/accounts/${phone}`)).body;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(this.simulator.control + path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as T };
  }
}
