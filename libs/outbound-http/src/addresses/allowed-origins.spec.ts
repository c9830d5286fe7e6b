import { describe, expect, test } from '@jest/globals';
import { envVariables, loadConfig, ServiceConfig } from '@svc/service';
import { isAllowedOrigin } from './address-guard.js';
import { AllowedOrigins, listOf } from './allowed-origins.js';

class ShopConfig extends ServiceConfig {
  @AllowedOrigins()
  readonly allowedOrigins: string[] = [];
}

const BASE = {
  DATABASE_URL: 'postgres://localhost/db',
  NATS_URL: 'nats://localhost',
  NATS_USER: 'shop',
  NATS_PASSWORD: 'secret',
};
const originsOf = (text: string, SVC_MODE = 'development'): string[] =>
  loadConfig(ShopConfig, { ...BASE, SVC_MODE, WEBHOOK_ALLOWED_ORIGINS: text }).allowedOrigins;
const MUST_HOLD =
  'WEBHOOK_ALLOWED_ORIGINS must hold origins such as http://127.0.0.1:8080 or http://127.0.0.1:*';

describe('the variable with allowed origins', () => {
  test('is listed with what it is for and an example that it takes', () => {
    const variable = envVariables(ShopConfig).find(({ property }) => property === 'allowedOrigins');
    expect(variable).toMatchObject({ name: 'WEBHOOK_ALLOWED_ORIGINS', example: 'http://127.0.0.1:*' });
    expect(variable?.description).toContain('in production exact ones only');
    expect(originsOf(variable?.example ?? '')).toEqual([variable?.example]);
  });

  test.each([
    ['http://127.0.0.1:8080'],
    ['https://receiver.example'],
    ['HTTP://LOCALHOST:1'],
    ['http://[::1]:*'],
    ['https://[::ffff:127.0.0.1]:65535'],
    ['http://my-host.lan:*'],
  ])('takes %s', (origin) => {
    expect(originsOf(origin)).toEqual([origin]);
  });

  test('takes a list with blanks between', () => {
    expect(originsOf('http://127.0.0.1:*, https://localhost:4000')).toEqual([
      'http://127.0.0.1:*',
      'https://localhost:4000',
    ]);
  });

  test.each([
    'http://*',
    'ftp://127.0.0.1',
    'x-http://127.0.0.1',
    '127.0.0.1:80',
    'http://127.0.0.1:',
    'http://127.0.0.1:**',
    'http://127.0.0.1:123456',
    'http://127.0.0.1:80/',
    'http://127.0.0.1/hooks',
    'http://user@127.0.0.1',
    'http://127.0.0.1?a',
    'http://[]:80',
    'http://[::1',
    'http://[localhost]',
    'http://a_b.example',
    'http://',
    'http://127.0.0.1:*,,',
    'http://127.0.0.1:*,nonsense',
  ])('refuses %s, and says what it must hold', (text) => {
    expect(() => originsOf(text)).toThrow(MUST_HOLD);
  });

  test('names each origin in full in production, if there are any', () => {
    expect(originsOf('http://n8n:5678, https://crm.internal', 'production')).toEqual([
      'http://n8n:5678',
      'https://crm.internal',
    ]);
    expect(originsOf('', 'production')).toEqual([]);
    expect(() => originsOf('http://n8n:5678,http://127.0.0.1:*', 'production')).toThrow(
      'WEBHOOK_ALLOWED_ORIGINS must not hold origins with any port when SVC_MODE is production',
    );
  });
});

test('a configuration that holds no list at all is refused', () => {
  class WrongConfig extends ServiceConfig {
    @AllowedOrigins()
    readonly allowedOrigins: unknown = 7;
  }
  expect(() => loadConfig(WrongConfig, { ...BASE, SVC_MODE: 'development' })).toThrow(
    'WEBHOOK_ALLOWED_ORIGINS is missing',
  );
  class MixedConfig extends ServiceConfig {
    @AllowedOrigins()
    readonly allowedOrigins: unknown = ['http://127.0.0.1:*', 7];
  }
  expect(() => loadConfig(MixedConfig, { ...BASE, SVC_MODE: 'development' })).toThrow();
});

test('a list of texts is split at its commas; anything else is left for the validator', () => {
  expect(listOf(' a ,b')).toEqual(['a', 'b']);
  expect(listOf(['a,b'])).toEqual(['a,b']);
  expect(listOf(7)).toBe(7);
});

describe('an origin on the list', () => {
  const isAllowed = (url: string, ...allowed: string[]): boolean => isAllowedOrigin(new URL(url), allowed);

  test('is allowed with the port that the entry names', () => {
    expect(isAllowed('http://127.0.0.1:80/hooks', 'http://127.0.0.1')).toBe(true);
    expect(isAllowed('http://LOCALHOST:4000/?a', 'http://localhost:4000')).toBe(true);
    expect(isAllowed('http://localhost:4001/', 'http://localhost:4000')).toBe(false);
    expect(isAllowed('https://localhost:4000/', 'http://localhost:4000')).toBe(false);
    expect(isAllowed('http://localhost.example:4000/', 'http://localhost:4000')).toBe(false);
  });

  test('is allowed with any port where the entry says so', () => {
    expect(isAllowed('http://127.0.0.1:9/', 'http://127.0.0.1:*')).toBe(true);
    expect(isAllowed('http://127.0.0.1/', 'http://127.0.0.1:*')).toBe(true);
    expect(isAllowed('http://[::1]:5/', 'http://[::1]:*')).toBe(true);
    expect(isAllowed('https://127.0.0.1:9/', 'http://127.0.0.1:*')).toBe(false);
    expect(isAllowed('http://127.0.0.2:9/', 'http://127.0.0.1:*')).toBe(false);
  });

  test('is allowed by any of the entries, and by none where there are none', () => {
    const entries = ['https://a.example', 'http://b.example:*', 'http://c.example:81'];
    expect(isAllowed('http://c.example:81/', ...entries)).toBe(true);
    expect(isAllowed('http://b.example:7/', ...entries)).toBe(true);
    expect(isAllowed('http://d.example/', ...entries)).toBe(false);
    expect(isAllowed('http://d.example/')).toBe(false);
  });
});
