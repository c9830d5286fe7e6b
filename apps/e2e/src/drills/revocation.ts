import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceProcess, startProcess } from '@svc/testing';
import { createTenant } from '../stack/actor.js';
import { quantile } from '../figures.js';
import type { NamedRun } from '../named-run.js';
import { bundleOf } from '../repository.js';
import { Stack } from '../stack/stack.js';

/** Besides the one of the stack. */
const MORE_GATEWAYS = 2;
const KEYS = 30;
const ROUTE = '/v1/api-keys?limit=1';
const LOOK_MS = 5;
const BOUND_MS = 1_000;
/** Longer than an answer about a key is cached. */
const REST_MS = 1_500;
const LIMIT_MS = 30_000;

/** A key that works on all gateways is revoked on one of them. */
export const revocation: NamedRun = {
  summary: `${KEYS} keys revoked on one of ${1 + MORE_GATEWAYS} gateways, then ${KEYS} more while NATS stands still`,
  bound: `every gateway refuses the key less than ${BOUND_MS} ms after the call that revokes it was sent`,
  async run({ seed, say }) {
    const stack = await Stack.start({ REQUESTS_PER_SECOND: '0', REQUEST_PACE: '1000000' });
    const more = await Promise.all(Array.from({ length: MORE_GATEWAYS }, () => startAnother(stack)));
    const origins = [
      stack.file.gateway,
      ...more.map(({ ready }) => `http://127.0.0.1:${Number(ready['port'])}`),
    ];
    const nats = stack.pidOf('nats-server');
    try {
      const { apiKey } = await createTenant(stack);
      const heard = await revokeAll(origins, apiKey);
      say(`  heard of after ${JSON.stringify(summaryOf(heard))}`);
      process.kill(nats, 'SIGSTOP');
      await delay(REST_MS);
      const unheard = await revokeAll(origins, apiKey);
      say(`  nobody hears; known after ${JSON.stringify(summaryOf(unheard))}`);
      return {
        figures: {
          ...{ seed, gateways: origins.length, keys: KEYS },
          ...{ heard: summaryOf(heard), unheard: summaryOf(unheard) },
        },
        holds: Math.max(...heard, ...unheard) < BOUND_MS,
      };
    } finally {
      process.kill(nats, 'SIGCONT');
      await Promise.all(more.map((gateway) => gateway.stop()));
    }
  },
};

/** A replica of the stack's gateway, on a port of its own. */
function startAnother(stack: Stack): Promise<ServiceProcess> {
  const pairs = readFileSync(`/proc/${stack.pidOf('api-gateway')}/environ`, 'utf8').split('\0');
  const env = Object.fromEntries(pairs.filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  return startProcess(bundleOf('api-gateway'), { ...(env as Record<string, string>), PORT: '0' });
}

/** Revokes the keys one after the other. @returns milliseconds until the last gateway refused, per key. */
async function revokeAll(origins: string[], admin: string): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < KEYS; n += 1) took.push(await revokeOne(origins, admin, n % origins.length));
  return took;
}

async function revokeOne(origins: string[], admin: string, at: number): Promise<number> {
  const origin = origins[at] as string;
  const made = await call(origin, admin, '/v1/api-keys', 'POST', { rotates: null, name: 'to be revoked' });
  const { secret, kid } = (await made.json()) as { secret: string; kid: string };
  await Promise.all(origins.map((one) => expectStatus(one, secret, 200)));
  const startedAt = performance.now();
  const [revoked] = await Promise.all([
    call(origin, admin, `/v1/api-keys/${kid}`, 'DELETE'),
    ...origins.map((one) => untilRefused(one, secret)),
  ]);
  if (revoked.status !== 204) throw new Error(`DELETE /v1/api-keys/:kid answered ${revoked.status}`);
  return performance.now() - startedAt;
}

async function untilRefused(origin: string, key: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    const { status } = await call(origin, key, ROUTE);
    if (status === 401) return;
    if (status !== 200) throw new Error(`A key that is being revoked got ${status}`);
    await delay(LOOK_MS);
  }
  throw new Error(`A revoked key still works after ${LIMIT_MS} ms`);
}

async function expectStatus(origin: string, key: string, expected: number): Promise<void> {
  const { status } = await call(origin, key, ROUTE);
  if (status !== expected) throw new Error(`${ROUTE} answered ${status}, not ${expected}`);
}

async function call(
  origin: string,
  key: string,
  path: string,
  method = 'GET',
  body?: object,
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  return fetch(origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

function summaryOf(took: number[]): { medianMs: number; mostMs: number } {
  const sorted = took.toSorted((a, b) => a - b);
  return { medianMs: quantile(sorted, 0.5), mostMs: quantile(sorted, 1) };
}
