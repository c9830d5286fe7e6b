import { Agent } from 'node:https';
import { until } from '../support/phone-client.js';
import type { Stack } from '../support/stack.js';
import { zapo, type ZapoClient, type ZapoLogger, type ZapoMessage, type ZapoReceipt } from './zapo.js';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
type Credentials = Record<string, unknown> | null;

/** The client says so at the one restart that belongs to linking. */
const EXPECTED = /^clearing pending node queries/;

/** The independent client on one device, with what it was told. Its store outlives its connections, as on a disk. */
export class SecondClient {
  readonly messages: ZapoMessage[] = [];
  readonly receipts: ZapoReceipt[] = [];
  readonly logs: { level: Level; text: string; fields?: object }[] = [];
  credentials: Credentials = null;
  qr?: string;
  paired = false;
  loggedIn = false;
  zapo!: ZapoClient;
  private readonly store = this.memoryStore();

  constructor(private readonly stack: Stack) {}

  /** Connects as after a start of its process: only the store is the one of before. */
  async connect(): Promise<this> {
    const { websocket, trustRoot, ca } = this.stack.simulator;
    const agent = new Agent({ ca });
    this.loggedIn = false;
    const options = {
      store: this.store,
      sessionId: 'second',
      chatSocketUrls: [websocket],
      proxy: { mediaUpload: agent, mediaDownload: agent },
      testHooks: { noiseRootCa: { publicKey: Buffer.from(trustRoot, 'hex'), serial: 0 } },
    };
    this.zapo = new zapo.WaClient(options, this.logger());
    this.zapo.on('auth_qr', ({ qr }) => (this.qr = qr));
    this.zapo.on('auth_paired', () => (this.paired = true));
    this.zapo.on('connection_success', () => (this.loggedIn = true));
    this.zapo.on('message', (message) => this.messages.push(message));
    this.zapo.on('message_receipt', (receipt) => this.receipts.push(receipt));
    await this.zapo.connect();
    return this;
  }

  /** Links to an account by QR and waits until it is logged in. */
  async link(phone: string): Promise<this> {
    await this.connect();
    const qr = await until(() => this.qr, 'the QR code of the second client');
    const scan = await this.stack.post(`/accounts/${phone}/scan`, { qr });
    if (scan.status !== 200) throw new Error(`the scan was refused: ${JSON.stringify(scan.body)}`);
    await until(() => this.paired, 'the second client to be linked');
    await this.opened();
    // It has uploaded its keys by then.
    await this.says('signal digest validated');
    return this;
  }

  opened(): Promise<unknown> {
    return until(() => this.loggedIn, 'the second client to be logged in');
  }

  /** Waits for a line of its log. */
  says(text: string): Promise<unknown> {
    return until(() => this.logs.some((line) => line.text === text), `the second client to say: ${text}`);
  }

  /** The message that arrived under an id. */
  messageOf(id: string): Promise<ZapoMessage> {
    return until(() => this.messages.find(({ stanzaId }) => stanzaId === id), `the message ${id}`);
  }

  /** The receipt of a type for a message that it sent; delivered has none. */
  receiptFor(id: string, type?: string): Promise<ZapoReceipt> {
    return until(
      () => this.receipts.find((one) => one.stanzaId === id && one.stanzaType === type),
      `a receipt ${type ?? 'delivered'} for ${id}`,
    );
  }

  /** Lists the warnings and errors of its log, but for those of each linking. */
  complaints(): string[] {
    const lines = this.logs.filter(({ level, text }) => /warn|error/.test(level) && !EXPECTED.test(text));
    return lines.map(({ text, fields }) => `${text} ${JSON.stringify(fields)}`);
  }

  async stop(): Promise<void> {
    await this.zapo?.disconnect();
  }

  /** Keeps all in memory; for its credentials the client wants a store of the caller's. */
  private memoryStore(): object {
    const auth = () => ({
      load: async () => this.credentials,
      save: async (saved: Credentials) => void (this.credentials = saved),
      clear: async () => void (this.credentials = null),
    });
    return zapo.createStore({
      backends: { own: { stores: { auth }, caches: {} } },
      providers: { auth: 'own' },
    });
  }

  private logger(): ZapoLogger {
    const write = (level: Level) => (text: string, fields?: object) =>
      void this.logs.push({ level, text, fields });
    return {
      level: 'debug',
      ...{ trace: write('trace'), debug: write('debug'), info: write('info') },
      ...{ warn: write('warn'), error: write('error') },
    };
  }
}
