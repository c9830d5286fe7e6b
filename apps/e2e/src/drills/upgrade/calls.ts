import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookReceiver } from '@svc/testing';
import type { Actor } from '../../stack/actor.js';
import { NO_ANSWER, reasonOfAnswer } from '../../load/load.js';

const EVERY_MS = 400;
const RETRY_MS = 250;
/** Time after which a call is given up that is refused again and again, in ms. */
const PATIENCE_MS = 60_000;

type Call = readonly [
  method: string,
  path: (id: string) => string,
  body?: (n: number, hook: string) => object,
];

/** Calls that may be repeated, and have the gateway ask every service. The version before has these fields and routes, too. */
const CALLS: readonly Call[] = [
  ['GET', () => '/v1/sessions'],
  ['GET', (id) => `/v1/sessions/${id}`],
  ['PATCH', (id) => `/v1/sessions/${id}`, (n) => ({ name: `number ${n}` })],
  ['GET', (id) => `/v1/sessions/${id}/limits`],
  ['GET', (id) => `/v1/sessions/${id}/warmup`],
  ['GET', () => '/v1/limits'],
  ['GET', () => '/v1/usage'],
  ['GET', () => '/v1/subscription'],
  ['GET', (id) => `/v1/sessions/${id}/external-config`],
  // The session is EXTERNAL and MANAGED by turns, which is told to the other services.
  [
    'PUT',
    (id) => `/v1/sessions/${id}/external-config`,
    (n, webhookUrl) => (n % 2 ? { enabled: false } : { enabled: true, webhookUrl }),
  ],
  ['GET', () => '/v1/webhooks'],
  ['GET', () => '/v1/events'],
  ['GET', () => '/v1/conversations'],
  ['GET', (id) => `/v1/messages?sessionId=${id}`],
  ['GET', () => '/v1/audit-log'],
  ['GET', () => '/v1/api-keys'],
];

/** A tenant's software that asks and changes things beside the load; each call is made again until it is not refused. */
export class Calls {
  private made = 0;
  private isEnding = false;
  private readonly abandoned = new Map<string, string>();

  constructor(
    private readonly actor: Actor,
    private readonly receiver: WebhookReceiver,
    private readonly onRefused: (reason: string) => void,
  ) {}

  end(): void {
    this.isEnding = true;
  }

  /** Resolves when it has been ended and each call has an answer. */
  async run(): Promise<void> {
    const underWay: Promise<void>[] = [];
    for (let n = 0; !this.isEnding; n += 1) {
      underWay.push(this.make(CALLS[n % CALLS.length] as Call, Math.floor(n / CALLS.length)));
      await delay(EVERY_MS);
    }
    await Promise.all(underWay);
  }

  /** Counts the calls, and names those that were refused to the end, with the last reason. */
  figures(): { calls: number; abandoned: Record<string, string> } {
    return { calls: this.made, abandoned: Object.fromEntries(this.abandoned) };
  }

  private async make([method, pathOf, bodyOf]: Call, turn: number): Promise<void> {
    const path = pathOf(this.actor.sessionId);
    const body = bodyOf?.(turn, `${this.receiver.origin}/hook`);
    const name = `${method} ${pathOf(':id')}`;
    this.made += 1;
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const reason = await this.refusalOf(method, path, body);
      if (reason === undefined) return;
      this.onRefused(`${reason} ${name}`);
      if (performance.now() > deadline) {
        this.abandoned.set(name, reason);
        return;
      }
      await delay(RETRY_MS);
    }
  }

  /** Makes a call once; returns the reason for which it was refused. */
  private async refusalOf(method: string, path: string, body?: object): Promise<string | undefined> {
    try {
      const answer = await this.actor.api(method, path, body);
      return answer.status < 300 ? undefined : reasonOfAnswer(answer.status, answer.body);
    } catch {
      return NO_ANSWER;
    }
  }
}
