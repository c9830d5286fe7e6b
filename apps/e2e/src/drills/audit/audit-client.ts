import { setTimeout as delay } from 'node:timers/promises';
import type { NewTenant } from '../../stack/actor.js';
import type { Answer, Stack } from '../../stack/stack.js';

const RETRY_MS = 250;
/** A call that is refused for longer fails the run. */
const PATIENCE_MS = 180_000;

type Body = Record<string, unknown>;

/** A tenant's software: it repeats what failed until it has an answer. */
export class Client {
  /** Names of keys that were made, by id. */
  readonly keys = new Map<string, string>();
  /** Ids of endpoints and widgets that were made and deleted: no list shows them any more. */
  readonly deleted = { webhook: [] as string[], widget: [] as string[] };
  private names = 0;

  /** @param payer a second tenant, whose plan is changed: it does nothing itself. */
  constructor(
    readonly stack: Stack,
    readonly tenant: NewTenant,
    readonly payer: NewTenant,
    private readonly label: string,
  ) {}

  /** A number that no other call of this client has. */
  number(): number {
    this.names += 1;
    return this.names;
  }

  /** A name that no other call of the run has. */
  name(prefix: string): string {
    return `${prefix} ${this.label}.${this.number()}`;
  }

  /**
   * Calls until there is an answer that says what became of it: a success, or a refusal of these statuses.
   * @param body is made anew for each try, so that a call which is not idempotent can name each of them.
   */
  async call(
    method: string,
    path: string,
    body?: () => Body,
    refusals: number[] = [],
  ): Promise<Answer<Body>> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.once(method, path, body?.());
      if (answer && (answer.status < 300 || refusals.includes(answer.status))) return answer;
      assertRetryable(`${method} ${path}`, answer, performance.now() > deadline);
      await delay(RETRY_MS);
    }
  }

  /** Calls once. @returns undefined where the answer got lost. */
  once(method: string, path: string, body?: Body): Promise<Answer<Body> | undefined> {
    return this.stack.api<Body>(this.tenant.apiKey, method, path, body).catch(() => undefined);
  }

  /** Reads all pages of a list. */
  async list(path: string): Promise<Body[]> {
    const items: Body[] = [];
    for (let cursor: unknown = null, first = true; first || cursor !== null; first = false) {
      const before = cursor === null ? '' : `&before=${encodeURIComponent(String(cursor))}`;
      const { body } = await this.call('GET', `${path}?limit=200${before}`);
      items.push(...(body['items'] as Body[]));
      cursor = body['nextCursor'];
    }
    return items;
  }
}

/** Runs a command of the operator until it succeeds. */
export async function operate<T>(stack: Stack, ...words: (() => string)[]): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await stack.operator<T>(...words.map((word) => word()));
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** @throws Error for an answer that no repetition changes, and when the time is up. */
function assertRetryable(call: string, answer: Answer<Body> | undefined, isLate: boolean): void {
  // A rotation whose answer was lost may be repeated in a moment.
  const isRotated = answer?.body['code'] === 'API_KEY_CONFLICT';
  if (!isLate && (!answer || answer.status >= 500 || isRotated)) return;
  throw new Error(`${call}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
}
