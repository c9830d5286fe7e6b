import { setTimeout as delay } from 'node:timers/promises';
import { signWebhook } from '../sign-webhook.js';

/** Pauses before the attempts: a receiver that is being started again is back in a moment. */
const PAUSES_MS = [0, 1_000, 2_000];
const TIMEOUT_MS = 10_000;

/** A delivery to the receiver. */
export interface Delivery {
  event: string;
  deliveryId: string;
  payload: object;
}

/** The result of a delivery: the status of the last answer, or why there was none. */
export interface ForwardResult {
  event: string;
  deliveryId: string;
  status: number | null;
  problem: string | null;
  attempts: number;
  ms: number;
}

/** Posts a delivery, signed anew for each attempt, until a 2xx or the last attempt. */
export async function forward(
  delivery: Delivery,
  { url, secret, signal }: { url: string; secret: string; signal?: AbortSignal },
): Promise<ForwardResult> {
  const { event, deliveryId } = delivery;
  let last = { status: null as number | null, problem: null as string | null, ms: 0 };
  let attempts = 0;
  for (const pause of PAUSES_MS) {
    await delay(pause, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted && attempts > 0) break;
    attempts += 1;
    last = await post(delivery, url, secret);
    if (isFine(last)) break;
  }
  return { event, deliveryId, ...last, attempts };
}

/** Says whether the receiver took it. */
export function isFine({ status }: { status: number | null }): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Writes `12:00:01 message.received 0198… 200 in 12 ms`. */
export function wordsOf({ event, deliveryId, status, problem, attempts, ms }: ForwardResult): string {
  const time = new Date().toISOString().slice(11, 19);
  const answer = status === null ? `no answer: ${problem ?? 'unknown'}` : `${status} in ${ms} ms`;
  return `${time} ${event} ${deliveryId} ${answer}${attempts > 1 ? ` (attempt ${attempts})` : ''}`;
}

async function post(
  delivery: Delivery,
  url: string,
  secret: string,
): Promise<{ status: number | null; problem: string | null; ms: number }> {
  const { headers, body } = signWebhook(delivery, secret);
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    return { status: answer.status, problem: null, ms: elapsed() };
  } catch (error) {
    return { status: null, problem: reasonOf(error), ms: elapsed() };
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
