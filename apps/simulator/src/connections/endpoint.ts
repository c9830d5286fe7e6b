import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authority } from '../noise/authority.js';
import { Connection, type ConnectionHandler } from './connection.js';
import type { UpgradeFaults } from './upgrade-faults.js';
import { answerSource } from './version-sources.js';
import type { Versions } from './versions.js';

const PATH = '/ws/chat';
const LARGEST_MESSAGE_BYTES = 32 * 1024 * 1024;

/** This class listens for the WebSockets of clients, and serves the pages that name the latest version. */
export class Endpoint {
  private readonly server: Server = createServer((request, response) => {
    if (answerSource(this.versions, request, response)) return;
    response.writeHead(426, { 'content-type': 'text/plain' }).end('This port speaks WebSocket only.\n');
  });
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE_BYTES });

  private readonly unanswered = new Set<Duplex>();

  constructor(
    authority: Authority,
    handler: ConnectionHandler,
    private readonly faults: UpgradeFaults,
    private readonly versions: Versions,
  ) {
    const accept = (socket: WebSocket): void => void new Connection(socket, authority.responder(), handler);
    this.server.on('upgrade', (request, socket, head) => {
      // An unfinished upgrade has no other listener, and an unheard error would end the process.
      socket.on('error', () => socket.destroy());
      const path = (request.url ?? '').split('?')[0];
      const verdict = path === PATH ? faults.next() : undefined;
      if (verdict === undefined) socket.destroy();
      else if (verdict === 'never') this.leaveUnanswered(socket);
      else if (typeof verdict === 'number') socket.end(refusalOf(verdict));
      else this.sockets.handleUpgrade(request, socket, head, verdict === 'mute' ? ignore : accept);
    });
  }

  async listen(host: string, port: number): Promise<string> {
    await this.open(host, port);
    const bound = (this.server.address() as AddressInfo).port;
    this.faults.attachPort(async (open) => {
      if (open) await this.open(host, bound);
      else this.server.close();
    });
    return `ws://${host.includes(':') ? `[${host}]` : host}:${bound}${PATH}`;
  }

  private open(host: string, port: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  private leaveUnanswered(socket: Duplex): void {
    this.unanswered.add(socket);
    socket.once('close', () => this.unanswered.delete(socket));
  }

  async close(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate();
    for (const socket of this.unanswered) socket.destroy();
    this.sockets.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** Leaves a handshake unanswered; an unheard error would end the process. */
const ignore = (socket: WebSocket): void => void socket.on('error', () => socket.terminate());

/** Writes the answer of a proxy in front of a platform that is down: it refuses and closes. */
const refusalOf = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
