import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that a tool got. */
export interface GotCall {
  headers: IncomingHttpHeaders;
  body: { callId: string; arguments: object; [field: string]: unknown };
}

/** Answer of a tool: a status and a text, or an end of the connection. */
export type ToolAnswer = { status?: number; text: string } | 'cut' | 'never';

/** The program of a tenant that models call, as a server on this machine. */
export class ToolServer {
  readonly calls: GotCall[] = [];
  answer: (call: GotCall) => ToolAnswer = () => ({ text: '{"state":"on its way"}' });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ToolServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const tools = new ToolServer(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as GotCall['body'];
      tools.calls.push({ headers: request.headers, body });
      const answer = tools.answer({ headers: request.headers, body });
      if (answer === 'never') return;
      if (answer === 'cut') return void request.socket.destroy();
      response.writeHead(answer.status ?? 200).end(answer.text);
    });
    return tools;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tool`;
  }

  /** Lists the calls that came for a session. */
  callsOf(sessionId: string): GotCall[] {
    return this.calls.filter(({ body }) => body['sessionId'] === sessionId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
