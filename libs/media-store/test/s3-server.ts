import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export const ACCESS_KEY = 'media-writer';
export const SECRET_KEY = 'known to the test alone';
export const REGION = 'eu-test-1';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Speaks as much of the S3 API as the store uses, and refuses what is not signed (AWS Signature Version 4). */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly refused: string[] = [];
  /** Answers every request with this status. */
  broken: number | undefined;
  /** Does this to the connection in place of an answer to a GET. */
  harm: ((socket: Socket) => void) | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<S3Server> {
    const server = createServer();
    const s3 = new S3Server(server);
    server.on('request', (request, response) => void s3.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return s3;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now. */
  open(): Promise<number> {
    return new Promise((done) => this.server.getConnections((_, count) => done(count)));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const problem = this.problemOf(request, body);
    if (problem) this.refused.push(problem);
    if (problem ?? this.broken) return void response.writeHead(this.broken ?? 403).end(problem);
    this.carryOut(request, body, response);
  }

  private carryOut({ method, url = '' }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const found = this.objects.get(url);
    if (method === 'GET' && this.harm) return this.harm(response.socket as Socket);
    if (method === 'PUT') this.objects.set(url, body);
    if (method === 'DELETE') this.objects.delete(url);
    if (method !== 'GET') response.writeHead(method === 'PUT' ? 200 : 204).end();
    else if (found) response.writeHead(200, { 'content-length': found.length }).end(found);
    else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  }

  private problemOf({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
    if (method === 'PUT' && headers['content-length'] !== String(body.length)) return 'no content-length';
    const digest = String(headers['x-amz-content-sha256']);
    if (digest !== sha256(body)) return 'the body is not what was signed';
    const date = String(headers['x-amz-date']);
    const scope = `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
    const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.split(';').includes(name)))
      return 'a header is not signed';
    const lines = signed.split(';').map((name) => `${name}:${String(headers[name])}\n`);
    const canonical = [method, url, '', lines.join(''), signed, digest].join('\n');
    const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
    const key = scope
      .split('/')
      .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET_KEY}`);
    const signature = hmac(key, toSign).toString('hex');
    const expected = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
    return headers.authorization === expected ? undefined : 'wrong signature';
  }
}
