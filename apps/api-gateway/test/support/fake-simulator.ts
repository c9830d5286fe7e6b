import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const received = (id: string, text: string): object => ({
  ...{ id, text, content: { type: 'text', text } },
  receivedAt: '2026-01-31T12:00:00.000Z',
});
/** Messages in order of arrival. */
const RECEIVED = [
  received('3EB0C431C26A1916E07A', 'Hello'),
  received('3EB0C431C26A1916E07B', 'Until eight.'),
];

/** The simulator's control API, as far as the gateway calls it; the whole simulator runs in `apps/e2e`. */
export class FakeSimulator {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<FakeSimulator> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const call = `${request.method} ${request.url}`;
        const refused = refusalOf(call, body);
        const answer = answerTo(call);
        response.writeHead(refused ? 400 : answer ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(refused ?? answer ?? { code: 'NOT_FOUND', message: 'not here' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeSimulator(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Refuses contents other than texts and images, and every earlier message. */
function refusalOf(call: string, body: string): object | undefined {
  if (call.includes('before=')) return refusal('before', 'before must be the id of a message');
  const { content } = JSON.parse(body || '{}') as { content?: { type?: unknown } };
  if (!content || content.type === 'text' || content.type === 'image') return undefined;
  return refusal('content.type', 'type must be one of text, image');
}

const refusal = (field: string, rule: string): object => ({
  ...{ code: 'VALIDATION_FAILED', message: rule },
  meta: { fields: { [field]: [rule] } },
});

function answerTo(call: string): object | undefined {
  if (/^POST \/accounts(\/\d+\/(scan|unlink))?$/.test(call)) return {};
  if (/^POST \/contacts\/\d+\/messages$/.test(call)) return { id: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' };
  const [, limit] = /^GET \/contacts\/\d+\/messages\?from=\d+&limit=(\d+)$/.exec(call) ?? [];
  if (limit) return { items: RECEIVED.slice(-limit) };
  if (/^POST \/contacts\/\d+\/read$/.test(call)) return { read: 1 };
  if (call === 'GET /magic-numbers') return { items: [{ phone: '15550100001', outcome: 'SENT, DELIVERED' }] };
  return undefined;
}
