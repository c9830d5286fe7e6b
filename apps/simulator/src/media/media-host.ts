import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerCertificate } from '@svc/certificates';
import { sha256 } from '../noise/keys.js';
import type { MediaAccess } from './media-access.js';
import type { MediaStore } from './media-store.js';

const LARGEST_FILE_BYTES = 110 * 1024 * 1024;
/** Places for files; some clients have places of their own for stickers, voice notes and videos that play by themselves. */
const UPLOAD_PATH = /^\/mms\/(image|video|audio|document|sticker|ptt|gif)\/([\w-]+)$/;

type Respond = (status: number, body: Buffer | object) => void;

/** This class serves encrypted files to clients and takes their uploads. The protocol wants https. */
export class MediaHost {
  private readonly server: Server;

  constructor(
    certificate: ServerCertificate,
    private readonly store: MediaStore,
    private readonly access: MediaAccess,
  ) {
    this.server = createServer(certificate, (request, response) => {
      // An error of one request may harm its own connection alone.
      this.handle(request, respondTo(response)).catch(() => response.destroy());
    });
    // A client that does not trust the certificate hangs up in the middle of the handshake.
    this.server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Resolves with host and port. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const bound = (this.server.address() as AddressInfo).port;
    return `${host.includes(':') ? `[${host}]` : host}:${bound}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, respond: Respond): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://host');
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const refusal = this.access.refusal();
    if (refusal !== undefined) respond(refusal, { error: 'refused on demand' });
    else if (body) this.upload(url, body, respond);
    else this.download(url, respond);
  }

  private download({ pathname }: URL, respond: Respond): void {
    const blob = this.store.get(pathname);
    if (blob) respond(200, blob);
    else respond(404, { error: 'no such file' });
  }

  private upload({ pathname, searchParams }: URL, body: Buffer, respond: Respond): void {
    const token = UPLOAD_PATH.exec(pathname)?.[2];
    if (!token) return respond(404, { error: 'no such place' });
    if (!this.access.admits(searchParams.get('auth'))) return respond(401, { error: 'auth is unknown' });
    if (token !== sha256(body).toString('base64url')) {
      return respond(400, { error: 'token is not the digest' });
    }
    const path = this.store.put(body);
    respond(200, { url: this.store.urlOf(path), direct_path: path });
  }
}

const respondTo =
  (response: ServerResponse): Respond =>
  (status, body) => {
    const isFile = Buffer.isBuffer(body);
    response.writeHead(status, { 'content-type': isFile ? 'application/octet-stream' : 'application/json' });
    response.end(isFile ? body : JSON.stringify(body));
  };

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_FILE_BYTES) throw new Error('the file is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
