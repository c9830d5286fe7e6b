import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { loadConfig } from '@svc/service';
import { WorkerConfig } from './config.js';

const needed = {
  DATABASE_URL: 'postgres://svc@127.0.0.1/svc',
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'svc',
  NATS_PASSWORD: 'secret',
  CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  CONTACT_HASH_KEY: randomBytes(32).toString('hex'),
  MEDIA_DIR: '/media',
};

test('asks the real platform, and keeps texts for thirty days, unless told otherwise', () => {
  expect(loadConfig(WorkerConfig, needed)).toMatchObject({
    platformUrl: 'wss://web.whatsapp.com/ws/chat',
    retentionDays: 30,
    leaseMs: 15_000,
  });
});

test('reads the version from pages or files, or is told it', () => {
  expect(loadConfig(WorkerConfig, needed)).toMatchObject({ platformVersion: 'auto' });
  const env = {
    PLATFORM_VERSION: '1047769893',
    PLATFORM_VERSION_SOURCES: 'file:///v, http://127.0.0.1:1/sw.js',
  };
  expect(loadConfig(WorkerConfig, { ...needed, ...env })).toMatchObject({
    platformVersion: '1047769893',
    platformVersionSources: ['file:///v', 'http://127.0.0.1:1/sw.js'],
  });
});

test.each([
  ['CREDENTIALS_KEY', 'of another length', randomBytes(31).toString('base64')],
  ['CREDENTIALS_KEY', 'in hex', randomBytes(32).toString('hex')],
  ['CONTACT_HASH_KEY', 'that is too short', randomBytes(15).toString('hex')],
  ['PLATFORM_TRUST_ROOT', 'of another length', 'ab'.repeat(31)],
  ['PLATFORM_URL', 'without TLS and not here', 'ws://platform.example/ws/chat'],
  ['PLATFORM_VERSION', 'that is no revision', '2.3000.1043857760'],
  ['PLATFORM_VERSION_SOURCES', 'without TLS and not here', 'http://platform.example/sw.js'],
  ['LEASE_MS', 'shorter than three renewals', '1000'],
  ['DEVICE_NAME', 'that is the platform’s', 'Whats App Business'],
  ['DEVICE_NAME', 'with a line break', 'Acme\nGateway'],
  ['DEVICE_NAME', 'that is too long for a phone', 'A'.repeat(31)],
  ['RETENTION_DAYS', 'that keeps nothing', '0'],
])('refuses a %s %s, and names it', (name, _what, value) => {
  expect(() => loadConfig(WorkerConfig, { ...needed, [name]: value })).toThrow(name);
});

test('does not repeat a secret that it refuses', () => {
  const env = { ...needed, CREDENTIALS_KEY: 'nearly-the-real-key' };
  expect(() => loadConfig(WorkerConfig, env)).toThrow(/^(?!.*nearly-the-real-key)/s);
});
