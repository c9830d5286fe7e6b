import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authority } from '../noise/authority.js';
import { Connection, type ConnectionHandler } from './connection.js';
import type { Door } from './door.js';

const PATH = '/ws/chat';
const LARGEST_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The WebSocket door that clients come in by. */
export class Endpoint {
  private readonly server: Server = createServer((_request, response) => {
    response.writeHead(426, { 'content-type': 'text/plain' }).end('This port speaks WebSocket only.\n');
  });
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE_BYTES });

  constructor(authority: Authority, handler: ConnectionHandler, door: Door) {
    const accept = (socket: WebSocket): void => void new Connection(socket, authority.responder(), handler);
    this.server.on('upgrade', (request, socket, head) => {
      // An unfinished upgrade has no other listener, and an unheard error would end the process.
      socket.on('error', () => socket.destroy());
      const path = (request.url ?? '').split('?')[0];
      const refusal = path === PATH ? door.refusal() : undefined;
      if (path !== PATH) socket.destroy();
      else if (refusal) socket.end(refusalOf(refusal));
      else this.sockets.handleUpgrade(request, socket, head, accept);
    });
  }

  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const bound = (this.server.address() as AddressInfo).port;
    return `ws://${host.includes(':') ? `[${host}]` : host}:${bound}${PATH}`;
  }

  async close(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate();
    this.sockets.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** As a proxy in front of a platform that is down: says no and closes. */
const refusalOf = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
