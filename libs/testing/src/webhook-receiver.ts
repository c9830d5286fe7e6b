import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** POST as it arrived: the raw bytes, because signatures are over them. */
export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  at: number;
}

/** The body of a delivery (specification, "Delivery envelope"). */
export interface DeliveryBody {
  event: string;
  deliveryId: string;
  payload: Record<string, unknown>;
}

/** Answer of the receiver: a status, also with more, or nothing at all (`hang`), or a cut connection (`reset`). */
export type WebhookAnswer = number | FullAnswer | 'hang' | 'reset';

/** A status with what may go with it. */
interface FullAnswer {
  status: number;
  headers?: OutgoingHttpHeaders;
  body?: Buffer;
}

/** A tenant's webhook receiver on loopback that remembers all it got. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  private answer: (webhook: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer> = () => 200;

  private constructor(
    readonly origin: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new WebhookReceiver(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      server,
    );
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const webhook = {
          path: request.url ?? '/',
          headers: request.headers,
          raw: Buffer.concat(chunks),
          at: Date.now(),
        };
        receiver.received.push(webhook);
        void Promise.resolve(receiver.answer(webhook)).then((answer) => {
          if (answer === 'reset') request.socket.destroy();
          else if (typeof answer === 'number') response.writeHead(answer).end();
          else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body);
        });
      });
    });
    return receiver;
  }

  /** Decides from now on what the receiver answers; 200 by default. */
  answerWith(
    answer: WebhookAnswer | ((webhook: ReceivedWebhook) => WebhookAnswer | Promise<WebhookAnswer>),
  ): void {
    this.answer = typeof answer === 'function' ? answer : () => answer;
  }

  /** Bodies of what arrived on a path (all by default), in order of arrival. */
  bodies(path?: string): DeliveryBody[] {
    return this.received
      .filter((webhook) => path === undefined || webhook.path === path)
      .map((webhook) => JSON.parse(webhook.raw.toString('utf8')) as DeliveryBody);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
