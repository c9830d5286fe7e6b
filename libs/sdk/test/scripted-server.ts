import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

/** Reaction of the server to a request. */
export type Step = (response: ServerResponse, asked: Asked) => void;

/** Answers with JSON. */
export const answer =
  (status: number, body: object = {}, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

/** Writes an error as the API answers it. */
export const refuse = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  answer(status, { code, message: `It is ${code}.`, requestId: 'r-1', meta: { a: 1 } }, headers);

/** Cuts the connection without a word. */
export const reset: Step = (response) => void response.destroy();
/** Step that never answers. */
export const hang: Step = () => undefined;

/** A server that does one step after the other; the last one again and again. */
export class ScriptedServer {
  readonly asked: Asked[] = [];
  steps: Step[] = [];

  private constructor(
    readonly origin: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<ScriptedServer> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const scripted = new ScriptedServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (request, response) => void scripted.serve(request, response));
    return scripted;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    const asked = { method, url, headers, body, at: performance.now() };
    this.asked.push(asked);
    const step = this.steps.length > 1 ? this.steps.shift() : this.steps[0];
    step?.(response, asked);
  }
}
