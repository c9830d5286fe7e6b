import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const RECEIVED = {
  ...{ id: '3EB0C431C26A1916E07A', text: 'Hello', content: { type: 'text', text: 'Hello' } },
  receivedAt: '2026-01-31T12:00:00.000Z',
};

/** The simulator's control API, as far as the gateway calls it; the whole story is told in `apps/e2e`. */
export class FakeSimulator {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<FakeSimulator> {
    const server = createServer((request, response) => {
      const answer = answerTo(`${request.method} ${request.url}`);
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { code: 'NOT_FOUND', message: 'not here' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeSimulator(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answerTo(call: string): object | undefined {
  if (/^POST \/accounts(\/\d+\/(scan|unlink))?$/.test(call)) return {};
  if (/^POST \/contacts\/\d+\/messages$/.test(call)) return { id: RECEIVED.id };
  if (/^GET \/contacts\/\d+\/messages\?from=\d+&limit=\d+$/.test(call)) return { items: [RECEIVED] };
  if (/^POST \/contacts\/\d+\/read$/.test(call)) return { read: 1 };
  if (call === 'GET /magic-numbers') return { items: [{ phone: '15550100001', outcome: 'SENT, DELIVERED' }] };
  return undefined;
}
