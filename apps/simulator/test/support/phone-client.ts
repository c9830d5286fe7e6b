import {
  type AuthenticationCreds,
  type BaileysEventMap,
  BufferJSON,
  type ConnectionState,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  makeWASocket,
  proto,
  type SignalDataTypeMap,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys';

export type LogLine = { level: string; message: string; fields: unknown };

/** Makes bytes of a key of the settings, which writes them as text by itself. */
const revived = (type: string, value: object): unknown =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;

/** Credentials of one device, in memory, with a copy that can be put back as after a crash. */
export class Credentials {
  creds: AuthenticationCreds = initAuthCreds();
  private rows = new Map<string, string>();

  readonly keys = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: Record<string, SignalDataTypeMap[T]> = {};
      for (const id of ids) {
        const row = this.rows.get(`${type}/${id}`);
        if (row) found[id] = revived(type, JSON.parse(row, BufferJSON.reviver)) as SignalDataTypeMap[T];
      }
      return found;
    },
    set: async (data: Record<string, Record<string, unknown>>) => {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value == null) this.rows.delete(`${type}/${id}`);
          else this.rows.set(`${type}/${id}`, JSON.stringify(value, BufferJSON.replacer));
        }
      }
    },
  };

  /** Copies the rows of one kind, as they are now. */
  copyOf(type: string): Map<string, string> {
    return new Map([...this.rows].filter(([key]) => key.startsWith(`${type}/`)));
  }

  putBack(copy: Map<string, string>): void {
    for (const [key, row] of copy) this.rows.set(key, row);
  }
}

/** Waits until a condition holds; never for a fixed time. */
export async function until<T>(
  condition: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  what: string,
  ms = 25_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

type Upsert = BaileysEventMap['messages.upsert'];

/** Phone client: an unmodified client on one device. */
export class PhoneClient {
  readonly logs: LogLine[] = [];
  readonly upserts: Upsert[] = [];
  readonly updates: BaileysEventMap['messages.update'] = [];
  readonly frames: { tag: string; attrs: Record<string, string> }[] = [];
  readonly sentMessages = new Map<string, proto.IMessage>();
  state: Partial<ConnectionState> = {};
  qr?: string;
  socket!: WASocket;

  constructor(
    private readonly url: string,
    trustRoot: string,
    readonly credentials = new Credentials(),
  ) {
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(trustRoot, 'hex');
  }

  connect(options: Record<string, unknown> = {}): this {
    this.state = {};
    this.socket = makeWASocket({
      ...DEFAULT_CONNECTION_CONFIG,
      waWebSocketUrl: this.url,
      auth: { creds: this.credentials.creds, keys: this.credentials.keys as never },
      logger: this.logger() as never,
      emitOwnEvents: false,
      fireInitQueries: true,
      getMessage: async (key: { id?: string | null }) => this.sentMessages.get(key.id ?? ''),
      ...options,
    });
    this.socket.ev.on('creds.update', (update) => Object.assign(this.credentials.creds, update));
    this.socket.ev.on('connection.update', (update) => {
      this.qr = update.qr ?? this.qr;
      this.state = { ...this.state, ...update };
    });
    this.socket.ev.on('messages.upsert', (upsert) => this.upserts.push(upsert));
    this.socket.ev.on('messages.update', (updates) => this.updates.push(...updates));
    this.socket.ws.on('frame', (frame: { tag?: string; attrs: Record<string, string> }) => {
      if (frame.tag) this.frames.push({ tag: frame.tag, attrs: frame.attrs });
    });
    return this;
  }

  opened(): Promise<unknown> {
    return until(() => this.state.connection === 'open', `open (state ${JSON.stringify(this.state)})`);
  }

  /**
   * Waits until the first sync has ended. It goes on after its messages are confirmed, and a client that is stopped before the end holds
   * back for 20 s whatever comes by its next connection.
   */
  synced(): Promise<unknown> {
    return until(() => this.credentials.creds.accountSyncCounter > 0, 'the first sync');
  }

  /** Resolves with the code that the client gives for the end of the connection. */
  closed(): Promise<number> {
    return until(() => {
      if (this.state.connection !== 'close') return undefined;
      const error = this.state.lastDisconnect?.error as { output?: { statusCode: number } } | undefined;
      return error?.output?.statusCode ?? -1;
    }, 'the connection to close');
  }

  async sendText(phone: string, text: string, messageId?: string): Promise<string> {
    const sent = await this.socket.sendMessage(`${phone}@s.whatsapp.net`, { text }, { messageId });
    if (!sent?.key.id) throw new Error('the client sent nothing');
    if (sent.message) this.sentMessages.set(sent.key.id, sent.message);
    return sent.key.id;
  }

  /** Lists the messages with a text that arrived, in order. */
  texts(): { id: string; text: string; type: string; message: WAMessage }[] {
    return this.upserts.flatMap(({ messages, type }) =>
      messages.flatMap((message) => {
        const text = message.message?.conversation ?? message.message?.extendedTextMessage?.text;
        return text ? [{ id: message.key.id ?? '', text, type, message }] : [];
      }),
    );
  }

  /** Finds the message that arrived under an id, once it could be read. */
  messageOf(id: string): WAMessage | undefined {
    return this.upserts
      .flatMap(({ messages }) => messages)
      .find(({ key, message }) => key.id === id && message);
  }

  statusOf(id: string): number {
    const updates = this.updates.filter(({ key }) => key.id === id);
    return Math.max(-1, ...updates.map(({ update }) => update.status ?? -1));
  }

  complaints(): LogLine[] {
    return this.logs.filter(({ level }) => level === 'warn' || level === 'error');
  }

  async stop(): Promise<void> {
    await this.socket?.end(undefined);
  }

  private logger(): unknown {
    const write =
      (level: string) =>
      (fields: unknown, message?: string): void => {
        if (level === 'warn' || level === 'error') {
          const text = typeof fields === 'string' ? fields : (message ?? '');
          this.logs.push({ level, message: text, fields });
        }
      };
    const logger: Record<string, unknown> = { level: 'warn', child: () => logger };
    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) logger[level] = write(level);
    return logger;
  }
}
