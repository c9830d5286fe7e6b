import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SelfSigned, selfSigned, waitFor } from '@svc/testing';
import { CountingServer } from './counting-server.js';
import { PATIENCE_MS, Stage } from '../stage.js';

const HOST = '127.0.0.1';
const good = selfSigned(HOST);
const ofAnother = selfSigned('elsewhere.example');
const expired = selfSigned(HOST, new Date(Date.now() - 60_000));

// A process learns only at its start which authorities it may trust besides the usual ones.
const directory = mkdtempSync(join(tmpdir(), 'trusted-'));
const trusted = join(directory, 'trusted.pem');
writeFileSync(trusted, [good, ofAnother, expired].map(({ cert }) => cert).join(''));
afterAll(() => rmSync(directory, { recursive: true }));

const stage = Stage.ofThisFile({
  WEBHOOK_ALLOWED_ORIGINS: `https://${HOST}:*`,
  WEBHOOK_RETRY_DELAYS_MS: '0',
  NODE_EXTRA_CA_CERTS: trusted,
});
beforeAll(() => stage.spawn());

const showing = (tls: SelfSigned) =>
  CountingServer.ofThisFile((_, response) => response.end('x'.repeat(20_000)), tls);
const [trustworthy, selfMade, misnamed, outdated] = [
  showing(good),
  showing(selfSigned(HOST)),
  showing(ofAnother),
  showing(expired),
];

/** Reads the result of the only attempt of a delivery to this server. */
async function attemptAt(server: CountingServer) {
  const tenantId = randomUUID();
  const { id } = await stage.endpoint(tenantId, `https://${HOST}:${server.port}/`, ['message.received']);
  await stage.producer.received(tenantId);
  const attempted = async () => (await stage.deliveries(tenantId, id))[0]?.attempts[0];
  return waitFor('the attempt', attempted, PATIENCE_MS);
}

test.each([
  ['signed by itself', selfMade],
  ['for another name', misnamed],
  ['out of date', outdated],
])('a receiver whose certificate is %s gets nothing, although its origin is allowed', async (_, server) => {
  expect(await attemptAt(server)).toMatchObject({ status: null, error: 'TLS_FAILED' });
  expect(server.connections).toBe(1);
  expect(server.requests).toBe(0);
});

test('a receiver whose certificate is trusted, for its name and valid gets its delivery', async () => {
  expect(await attemptAt(trustworthy)).toMatchObject({ status: 200, error: null });
  expect(trustworthy.requests).toBe(1);
});

test('a connection with TLS is kept from one delivery to the next, though its answers are long', async () => {
  const before = trustworthy.connections;
  for (let n = 1; n <= 3; n += 1) expect(await attemptAt(trustworthy)).toMatchObject({ status: 200 });
  expect(trustworthy.connections - before).toBeLessThanOrEqual(1);
});

test('deliveries at the same time go over few connections with TLS', async () => {
  const tenantId = randomUUID();
  const before = [trustworthy.connections, trustworthy.requests] as const;
  await stage.endpoint(tenantId, `https://${HOST}:${trustworthy.port}/`, ['message.received']);
  await Promise.all(Array.from({ length: 200 }, () => stage.producer.received(tenantId)));
  await waitFor('all requests', () => trustworthy.requests - before[1] >= 200, PATIENCE_MS);
  // An endpoint has eight connections at most.
  expect(trustworthy.connections - before[0]).toBeLessThanOrEqual(8);
});
