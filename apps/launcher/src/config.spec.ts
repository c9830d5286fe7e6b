import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { readConfig, ROOT } from './config.js';

describe('the configuration', () => {
  test('needs no variable at all', () => {
    expect(readConfig({})).toMatchObject({
      dataDir: join(ROOT, '.data'),
      gatewayHost: '127.0.0.1',
      gatewayPort: 3000,
      sessionWorkers: 1,
      databaseUrl: undefined,
      natsUrl: undefined,
      platformUrl: undefined,
      webhooks: {
        delays: '0,30000,120000,600000,3600000',
        timeout: '10000',
        origins: 'http://127.0.0.1:*,http://localhost:*',
      },
    });
  });

  test('is that of development, which lets local receivers through, unless production is asked for', () => {
    expect(readConfig({}).mode).toBe('development');
    const production = readConfig({ SVC_MODE: 'production' });
    expect([production.mode, production.webhooks.origins]).toEqual(['production', '']);
    const WEBHOOK_ALLOWED_ORIGINS = 'http://127.0.0.1:9';
    expect(readConfig({ SVC_MODE: 'production', WEBHOOK_ALLOWED_ORIGINS }).webhooks.origins).toBe(
      WEBHOOK_ALLOWED_ORIGINS,
    );
    expect(() => readConfig({ SVC_MODE: 'test' })).toThrow(/SVC_MODE must be production or development/);
  });

  test('takes an empty variable for an absent one', () => {
    expect(readConfig({ GATEWAY_PORT: '', DATABASE_URL: ' ', DATA_DIR: '' })).toMatchObject({
      gatewayPort: 3000,
      databaseUrl: undefined,
      dataDir: join(ROOT, '.data'),
    });
  });

  test('finds a relative folder below the repository, wherever it is called', () => {
    expect(readConfig({ DATA_DIR: 'other' }).dataDir).toBe(join(ROOT, 'other'));
    expect(readConfig({ DATA_DIR: '/elsewhere' }).dataDir).toBe('/elsewhere');
  });

  test('names every wrong variable at once and shows none of their values', () => {
    const read = (): unknown =>
      readConfig({
        GATEWAY_PORT: '70000',
        DATABASE_URL: 'mysql://user:hidden@host',
        WEBHOOK_RETRY_DELAYS_MS: '1,x',
      });
    expect(read).toThrow(
      new Error(
        'Wrong configuration:\n' +
          '  GATEWAY_PORT must be a port from 0 to 65535\n' +
          '  DATABASE_URL must start with postgres://\n' +
          '  WEBHOOK_RETRY_DELAYS_MS must be milliseconds separated by commas',
      ),
    );
  });

  test.each(['-1', '3000x', '1e3', '65536'])('refuses %s as a port', (port) => {
    expect(() => readConfig({ GATEWAY_PORT: port })).toThrow(/GATEWAY_PORT must be a port/);
  });

  test.each(['10.0.0.1', 'gateway', '::'])('refuses to listen on %s alone', (GATEWAY_HOST) => {
    expect(() => readConfig({ GATEWAY_HOST })).toThrow(/GATEWAY_HOST must be 127\.0\.0\.1 or 0\.0\.0\.0/);
  });

  test.each([
    ['1', 1],
    ['9', 9],
    ['16', 16],
  ])('runs %s session workers', (SESSION_WORKERS, count) => {
    expect(readConfig({ SESSION_WORKERS }).sessionWorkers).toBe(count);
  });

  test.each(['0', '17', '-1', '2.5', '1e1', 'three'])('refuses %s session workers', (SESSION_WORKERS) => {
    expect(() => readConfig({ SESSION_WORKERS })).toThrow(
      new Error('Wrong configuration:\n  SESSION_WORKERS must be a number from 1 to 16'),
    );
  });

  test('refuses a trust root without the platform it belongs to', () => {
    const PLATFORM_TRUST_ROOT = 'AB'.repeat(32);
    expect(() => readConfig({ PLATFORM_TRUST_ROOT })).toThrow(/needs PLATFORM_URL/);
    const config = readConfig({ PLATFORM_TRUST_ROOT, PLATFORM_URL: 'ws://127.0.0.1:1/ws' });
    expect(config.platformTrustRoot).toBe('ab'.repeat(32));
  });
});
