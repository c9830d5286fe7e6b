import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { loadConfig } from '@svc/service';
import { DispatcherConfig } from './config.js';

const env = {
  DATABASE_URL: 'postgres://localhost/db',
  NATS_URL: 'nats://localhost',
  NATS_USER: 'svc',
  NATS_PASSWORD: 'secret',
  SECRETS_KEY: randomBytes(32).toString('base64'),
  CONTACT_HASH_KEY: randomBytes(32).toString('hex'),
};
const load = (more: Record<string, string> = {}) => loadConfig(DispatcherConfig, { ...env, ...more });

test('has the schedule and the time limit of the specification by default, and no local receivers', () => {
  expect(load()).toMatchObject({
    retryDelaysMs: [0, 30_000, 120_000, 600_000, 3_600_000],
    timeoutMs: 10_000,
    allowedOrigins: [],
    mode: 'production',
  });
});

test('takes receivers beside it: with any port in development, named in full in production', () => {
  const allowed = { WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*, http://localhost:4000' };
  expect(load({ ...allowed, SVC_MODE: 'development' }).allowedOrigins).toEqual([
    'http://127.0.0.1:*',
    'http://localhost:4000',
  ]);
  expect(() => load(allowed)).toThrow(/WEBHOOK_ALLOWED_ORIGINS must not hold origins with any port/);
  expect(load({ WEBHOOK_ALLOWED_ORIGINS: 'http://n8n:5678' }).allowedOrigins).toEqual(['http://n8n:5678']);
});

test('knows its own addresses, none by default', () => {
  expect(load({}).ownAddresses).toEqual([]);
  const ownAddresses = ['93.184.216.34', '2606:2800:220::/48'];
  expect(load({ OWN_ADDRESSES: ownAddresses.join(', ') }).ownAddresses).toEqual(ownAddresses);
});

test.each([
  [{ CONTACT_HASH_KEY: 'short' }, /CONTACT_HASH_KEY must be 32 characters or more/],
  [{ SECRETS_KEY: 'short' }, /SECRETS_KEY must be 32 bytes in base64/],
  [{ WEBHOOK_RETRY_DELAYS_MS: '0,soon' }, /WEBHOOK_RETRY_DELAYS_MS/],
  [{ WEBHOOK_RETRY_DELAYS_MS: '0,1,2,3,4,5' }, /WEBHOOK_RETRY_DELAYS_MS/],
  [{ WEBHOOK_RETRY_DELAYS_MS: '30000,120000' }, /WEBHOOK_RETRY_DELAYS_MS must begin with 0/],
  [{ WEBHOOK_TIMEOUT_MS: '20000' }, /WEBHOOK_TIMEOUT_MS/],
  [{ WEBHOOK_ALLOWED_ORIGINS: 'http://*', SVC_MODE: 'development' }, /WEBHOOK_ALLOWED_ORIGINS/],
  [{ OWN_ADDRESSES: 'gateway.example' }, /OWN_ADDRESSES must hold addresses or networks/],
  [{ OWN_ADDRESSES: '93.184.216.34,93.184.216.0/33' }, /OWN_ADDRESSES/],
  [{ OWN_ADDRESSES: '93.184.216.0/24/8' }, /OWN_ADDRESSES/],
  [{ OWN_ADDRESSES: '2606:2800::/' }, /OWN_ADDRESSES/],
])('names what is wrong: %j', (wrong, message) => {
  expect(() => load(wrong as Record<string, string>)).toThrow(message);
});
