import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ChangeSession, CreateSession } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { HOSTILE_PROXIES, type HostileProxy } from '../hostile-proxies.js';
import { LONG_MS, Stage } from '../support.js';

const phone = '15550118000';
const LOGIN_TIMEOUT_MS = 2_000;
const PLACES = 4;

let stage: Stage;
let victim: string;
let proxy: HostileProxy | undefined;

beforeAll(async () => {
  stage = await Stage.start({
    WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*',
    LOGINS_AT_ONCE: String(PLACES),
    LOGIN_TIMEOUT_MS: String(LOGIN_TIMEOUT_MS),
  });
  victim = await stage.link(phone);
});
afterEach(() => proxy?.stop());
afterAll(() => stage.stop());

const attacker = randomUUID();

async function attack(url: string, sessions: number): Promise<string[]> {
  const ids = Array.from({ length: sessions }, () => randomUUID());
  const made = ids.map((sessionId) =>
    stage.worker.rpc.request(
      CreateSession,
      { tenantId: attacker, sessionId, name: 'x', proxy: url },
      LONG_MS,
    ),
  );
  await Promise.all(made);
  return ids;
}

async function end(ids: string[]): Promise<void> {
  const { rpc } = stage.worker;
  const requests = ids.map((sessionId) =>
    rpc.request(ChangeSession, { tenantId: attacker, sessionId, action: 'delete' }, LONG_MS),
  );
  await Promise.all(requests);
}

describe.each(Object.entries(HOSTILE_PROXIES))('a proxy that %s', (_what, start) => {
  test('is left alone after each attempt, and costs nothing once its session is deleted', async () => {
    proxy = await start();
    const { connections } = proxy;
    const ids = await attack(proxy.url, 1);
    await waitFor('a second attempt', () => connections.opened >= 2, LONG_MS);
    expect(connections.mostOpen).toBe(1);
    await end(ids);
    await waitFor('every connection to be closed', () => connections.open === 0, 5_000);
    expect(connections.received).toBeLessThan(1_000_000);
  });

  test('keeps nobody else from logging in', async () => {
    proxy = await start();
    const { connections } = proxy;
    const ids = await attack(proxy.url, 6 * PLACES);
    await waitFor('all to try', () => connections.opened >= 6 * PLACES, LONG_MS);
    await stage.change(victim, 'disconnect');
    await stage.reached(victim, 'DISCONNECTED');
    const before = performance.now();
    await stage.change(victim, 'connect');
    await stage.reached(victim, 'CONNECTED');
    // The session waits for a place at most, and for none of those who wait longer.
    expect(performance.now() - before).toBeLessThan(2 * LOGIN_TIMEOUT_MS);
    await end(ids);
  });
});

test('an address whose user SOCKS cannot say is refused before it is saved', async () => {
  const proxy = `socks5://${'%C3%A9'.repeat(200)}:x@127.0.0.1:1080`;
  await expect(
    stage.worker.rpc.request(
      CreateSession,
      { tenantId: attacker, sessionId: randomUUID(), name: 'x', proxy },
      LONG_MS,
    ),
  ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});
