import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';
import { SealingKey } from './sealing-key.js';
import { ServiceConfig } from './service-config.js';

class ShopConfig extends ServiceConfig {
  @SealingKey('SHOP_KEY', 'Seals receipts')
  shopKey: string;
}

const GOOD = {
  DATABASE_URL: 'postgres://shop:pw@db.example.com/svc?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  NATS_URL: 'tls://a.example.com:4222,tls://b.example.com:4222',
  NATS_USER: 'shop',
  NATS_PASSWORD: 'secret',
  SHOP_KEY: Buffer.from(Array.from({ length: 32 }, (_, n) => n * 7)).toString('base64'),
};
const PLAIN = { DATABASE_URL: 'postgres://shop:pw@db/svc', NATS_URL: 'nats://nats:4222' };

/** Lists what is wrong with these variables; undefined ones are missing. */
function problemsOf(change: Record<string, string | undefined>): string[] {
  try {
    loadConfig(ShopConfig, { ...GOOD, ...change });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n  ').slice(1);
  }
  return [];
}

/** First line of a PEM file. */
const pem = (what: string): string => `-----BEGIN ${what}-----`;

describe('a start in production', () => {
  test('is refused without TLS, without credentials and with a key that somebody typed, with all sentences at once', () => {
    const [shopKey, database, nats, ...others] = problemsOf({
      ...PLAIN,
      ...{ NATS_USER: undefined, NATS_PASSWORD: undefined, SHOP_KEY: `${'A'.repeat(43)}=` },
    }).sort((a, b) => 'SDN'.indexOf(a.charAt(0)) - 'SDN'.indexOf(b.charAt(0)));
    expect(shopKey).toMatch(/^SHOP_KEY must be random: .*, openssl rand/);
    expect(database).toMatch(/^DATABASE_URL must end in \?sslmode=verify-full, .* PLAINTEXT_HOSTS/);
    expect(nats).toMatch(/NATS_URL must be tls:\/\/ .* PLAINTEXT_HOSTS/);
    expect(nats).toMatch(/NATS_URL must be given with NATS_USER and NATS_PASSWORD/);
    expect(others).toEqual([]);
  });

  test('goes on with TLS and credentials, on this machine, and with hosts that the operator vouches for', () => {
    expect(problemsOf({})).toEqual([]);
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      expect(problemsOf({ DATABASE_URL: `postgres://${host}/svc`, NATS_URL: `nats://${host}:4222` })).toEqual(
        [],
      );
    expect(problemsOf({ ...PLAIN, PLAINTEXT_HOSTS: 'db, nats' })).toEqual([]);
    expect(problemsOf({ DATABASE_URL: 'postgres:///svc?host=/var/run/postgresql' })).toEqual([]);
  });

  test.each([
    ['a TLS that nobody checks', { DATABASE_URL: 'postgres://db.example.com/svc?sslmode=require' }],
    ['a host behind the question mark', { DATABASE_URL: 'postgres://127.0.0.1/svc?host=db.example.com' }],
    ['a name that only begins like this machine', { DATABASE_URL: 'postgres://localhost.example.com/svc' }],
    ['one server of several', { NATS_URL: 'tls://a.example.com:4222,nats://b.example.com:4222' }],
    ['a key of words', { SHOP_KEY: 'AKeyForDevelopment+ThatSomebodyHasTyped/001=' }],
    [
      'no credentials on this machine',
      { NATS_URL: 'nats://127.0.0.1:4222', NATS_USER: undefined, NATS_PASSWORD: undefined },
    ],
  ])('is refused with %s', (_what, change) => {
    expect(problemsOf(change)).toHaveLength(1);
  });

  test.each([
    ['a credentials file', { NATS_CREDS: '-----BEGIN NATS USER JWT-----' }],
    ['a certificate', { NATS_CERT: pem('CERTIFICATE'), NATS_KEY: pem('PRIVATE KEY') }],
  ])('takes %s for credentials', (_what, change) => {
    expect(problemsOf({ ...change, NATS_USER: undefined, NATS_PASSWORD: undefined })).toEqual([]);
  });
});

test('development may do without all of it', () => {
  const typed = `${'A'.repeat(43)}=`;
  const change = { ...PLAIN, NATS_USER: undefined, NATS_PASSWORD: undefined, SHOP_KEY: typed };
  expect(problemsOf({ ...change, SVC_MODE: 'development' })).toEqual([]);
});
