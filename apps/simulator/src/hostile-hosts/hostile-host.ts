import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ServerCertificate } from '@svc/certificates';
import { v7 as uuidv7 } from 'uuid';
import { behave, type BehaviourName, type Guest, type HostKind } from './behaviours.js';

/** Kind and behaviour of a hostile host, and the bounds at which it ends by itself. */
export interface HostileHostOptions {
  kind: HostKind;
  behaviour: BehaviourName;
  /** Bytes to all its guests together. */
  mostBytes: number;
  mostSeconds: number;
}

export const HOST_STATES = ['RUNNING', 'ENDED'] as const;

const SCHEMES: Record<HostKind, string> = {
  'http-proxy': 'http',
  'socks-proxy': 'socks5',
  'http-host': 'http',
  'https-host': 'https',
};

/** A proxy or a file server that means harm to whoever connects to it. It counts what it does, and it ends. */
export class HostileHost {
  readonly id = uuidv7();
  state: (typeof HOST_STATES)[number] = 'RUNNING';
  url = '';
  opened = 0;
  mostOpen = 0;
  /** TLS is not counted. */
  bytesSent = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly options: HostileHostOptions,
    certificate: ServerCertificate,
  ) {
    const isTls = options.kind === 'https-host';
    this.server = isTls ? createTlsServer(certificate) : createServer();
    this.server.on('connection', (socket: Socket) => this.count(socket));
    this.server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.receive(socket));
  }

  get open(): number {
    return this.sockets.size;
  }

  /** Resolves when guests can come. */
  async listen(host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, host, resolve);
    });
    const name = host.includes(':') ? `[${host}]` : host;
    this.url = `${SCHEMES[this.options.kind]}://${name}:${(this.server.address() as AddressInfo).port}`;
    this.timer = setTimeout(() => this.stop(), this.options.mostSeconds * 1_000).unref();
  }

  /** Sends all guests away; nobody comes any more. */
  stop(): void {
    if (this.state === 'ENDED') return;
    this.state = 'ENDED';
    clearTimeout(this.timer);
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private count(socket: Socket): void {
    this.sockets.add(socket);
    this.opened += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }

  private receive(socket: Socket): void {
    // With TLS it is another one than that which was counted.
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (this.state === 'RUNNING') behave(this.options.behaviour, this.guestAt(socket));
    });
  }

  private guestAt(socket: Socket): Guest {
    const say = (bytes: Buffer | string): void => {
      socket.write(bytes);
      this.bytesSent += bytes.length;
      if (this.bytesSent >= this.options.mostBytes) this.stop();
    };
    return {
      ...{ kind: this.options.kind, url: this.url, say },
      hangUp: () => socket.destroySoon(),
      sayEvery: (ms, next) => {
        const timer = setInterval(() => {
          if (socket.writable && socket.writableLength === 0) say(next());
        }, ms);
        socket.on('close', () => clearInterval(timer));
      },
    };
  }
}
