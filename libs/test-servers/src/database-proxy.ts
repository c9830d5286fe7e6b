import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Direction of a connection: statements of a process to its database, or the replies to it. */
export type Direction = 'statements' | 'replies';

/**
 * The line between a process and its real database, to be cut or to be held in one direction: so a test can end a
 * process between a commit and the news of it.
 */
export class DatabaseProxy {
  private readonly held = new Set<Direction>();
  /** Replies to what has this in it are held, and to what comes after it over the same connection. */
  private mark: string | undefined;
  /** Ends at the database whose replies are held. */
  private readonly marked = new Set<Socket>();
  private readonly waiting: { direction: Direction; send: () => void }[] = [];
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    /** Address of the database through this line. */
    readonly url: string,
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    const proxy = new DatabaseProxy(url.href, server, new URL(databaseUrl));
    server.on('connection', (client) => proxy.accept(client));
    return proxy;
  }

  /** Lets nothing through in this direction. What is held for a process that ends meanwhile never arrives. */
  hold(direction: Direction): void {
    this.held.add(direction);
  }

  /**
   * Holds the replies to what a process says with this text in it. All others come: of the connections that it has open each would
   * carry one statement more and no other could be opened, so that chance would decide which statements the database gets to see.
   */
  holdRepliesTo(text: string): void {
    this.mark = text;
  }

  /** Lets everything through again, what was held first. */
  flow(): void {
    this.held.clear();
    this.mark = undefined;
    this.marked.clear();
    for (const { send } of this.waiting.splice(0)) send();
  }

  /** Ends of lines that are open. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Ends all connections and refuses new ones: the database is away. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Brings the database back. */
  mend(): void {
    this.isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(this.target.port), this.target.hostname);
    this.forward(client, upstream, 'statements');
    this.forward(upstream, client, 'replies');
  }

  private forward(from: Socket, to: Socket, direction: Direction): void {
    this.sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk: Buffer) => {
      const send = (): void => void (to.destroyed || to.write(chunk));
      if (this.mark !== undefined && direction === 'statements' && chunk.includes(this.mark))
        this.marked.add(to);
      if (this.held.has(direction) || this.marked.has(from)) this.waiting.push({ direction, send });
      else send();
    });
  }
}
