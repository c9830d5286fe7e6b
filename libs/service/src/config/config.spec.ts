import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, MinLength } from 'class-validator';
import { ConfigError, configReader, Env, envVariables, loadConfig } from './config.js';
import { natsAccess } from './nats-config.js';
import { ServiceConfig } from './service-config.js';

class ShopConfig extends ServiceConfig {
  @Env('SHOP_KEY', { description: 'Signs receipts.', secret: true })
  @IsString()
  @MinLength(8)
  shopKey: string;

  @Env('SHELVES', { description: 'How many.' })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  shelves: number = 3;
}

const GOOD = {
  DATABASE_URL: 'postgres://svc:pw@127.0.0.1:5432/svc',
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'shop',
  NATS_PASSWORD: 'secret',
  SHOP_KEY: 'k'.repeat(8),
};

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

const directory = mkdtempSync(join(tmpdir(), 'svc-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(content: string): string {
  const path = join(directory, `${Math.random()}`);
  writeFileSync(path, content);
  return path;
}

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(ShopConfig, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const [head, ...problems] = (error as ConfigError).message.split('\n  ');
    expect(head).toBe('Wrong configuration:');
    return problems;
  }
  return [];
}

describe('a configuration', () => {
  test('takes what is given and has safe defaults for the rest', () => {
    expect(loadConfig(ShopConfig, { ...GOOD, OPS_PORT: '9000' })).toEqual({
      databaseUrl: GOOD.DATABASE_URL,
      natsUrl: GOOD.NATS_URL,
      natsUser: 'shop',
      natsPassword: 'secret',
      natsStreamReplicas: 1,
      databasePool: 10,
      plaintextHosts: [],
      mode: 'production',
      host: '127.0.0.1',
      opsPort: 9000,
      logLevel: 'info',
      shopKey: 'kkkkkkkk',
      shelves: 3,
    });
  });

  test('is an instance of its class, and nobody changes it any more', () => {
    const config = loadConfig(ShopConfig, GOOD) as ShopConfig;
    expect(config).toBeInstanceOf(ServiceConfig);
    expect(() => {
      config.shelves = 4;
    }).toThrow(TypeError);
  });

  test('names every variable that is missing, all at once', () => {
    const missing = ['DATABASE_URL is missing', 'NATS_URL is missing', 'SHOP_KEY is missing'];
    expect(problemsOf({}).toSorted()).toEqual(missing);
  });

  test('names every variable that is wrong by its own name, with the rule', () => {
    const wrong = {
      ...GOOD,
      DATABASE_URL: 'mysql://x',
      OPS_PORT: '70000',
      SVC_MODE: 'prod',
      SHELVES: 'many',
    };
    const problems = problemsOf(wrong).join('\n');
    expect(problems).toMatch(/^DATABASE_URL must start with postgres:\/\/$/m);
    expect(problems).toMatch(/^OPS_PORT must not be greater than 65535$/m);
    expect(problems).toMatch(/^SVC_MODE must be one of production, development$/m);
    expect(problems).toMatch(/^.*SHELVES must be a whole number.*$/m);
    expect(problems).not.toMatch(/databaseUrl|logLevel|shelves/);
  });

  test('never shows a value, however wrong it is', () => {
    const wrong = {
      DATABASE_URL: 'canary-one',
      NATS_URL: 'canary-two',
      SHOP_KEY: 'canary3',
      OPS_PORT: 'canary-four',
    };
    expect(problemsOf(wrong)).toHaveLength(4);
    expect(problemsOf(wrong).join()).not.toContain('canary');
  });

  test('takes an empty variable for an absent one', () => {
    expect(loadConfig(ShopConfig, { ...GOOD, OPS_PORT: '', HOST: '' })).toMatchObject({
      opsPort: 8081,
      host: '127.0.0.1',
    });
    expect(problemsOf({ ...GOOD, SHOP_KEY: '' })).toEqual([expect.stringContaining('SHOP_KEY')]);
  });

  test('takes NATS servers as a list, each of them checked', () => {
    const [first, second] = ['nats://nats-0:4222', 'tls://nats-1:4222'];
    expect(
      loadConfig(ShopConfig, { ...GOOD, PLAINTEXT_HOSTS: 'nats-0', NATS_URL: `${first}, ${second}` }).natsUrl,
    ).toBe(`${first}, ${second}`);
    const rule =
      'NATS_URL must be one or more of nats://host:port or tls://host:port, separated by commas, without user and password';
    for (const wrong of [
      `${first},`,
      `${first},http://x`,
      `${first} ${second}`,
      'nats://me:secret@nats-0:4222',
    ])
      expect(problemsOf({ ...GOOD, PLAINTEXT_HOSTS: 'nats-0', NATS_URL: wrong })).toEqual([rule]);
  });

  test('names the half of a pair that is missing', () => {
    const user = { NATS_USER: undefined, NATS_PASSWORD: undefined, SVC_MODE: 'development' };
    expect(problemsOf({ ...GOOD, ...user, NATS_USER: 'shop' })).toEqual(['NATS_PASSWORD is missing']);
    expect(problemsOf({ ...GOOD, ...user, NATS_PASSWORD: 'canary' })).toEqual(['NATS_USER is missing']);
    expect(problemsOf({ ...GOOD, NATS_CERT: PEM })).toEqual(['NATS_KEY is missing']);
    expect(problemsOf({ ...GOOD, NATS_KEY: PEM })).toEqual(['NATS_CERT is missing']);
  });

  test('takes certificates from files', () => {
    const config = loadConfig(ShopConfig, { ...GOOD, NATS_CA_FILE: file(PEM) });
    expect(natsAccess(config)).toEqual({ url: GOOD.NATS_URL, user: 'shop', password: 'secret', ca: PEM });
    expect(problemsOf({ ...GOOD, NATS_CA_FILE: file('canary') })).toEqual([
      'NATS_CA must be a certificate as PEM',
    ]);
  });

  test('takes no notice of variables it does not know', () => {
    expect(loadConfig(ShopConfig, { ...GOOD, shelves: '9', OTHER: '1' })).not.toHaveProperty('OTHER');
    expect(loadConfig(ShopConfig, { ...GOOD, shelves: '9' }).shelves).toBe(3);
  });
});

describe('a secret', () => {
  const { SHOP_KEY: _, ...rest } = GOOD;

  test('may lie in a file, without the line break at its end', () => {
    const env = { ...rest, SHOP_KEY_FILE: file('from a file\n') };
    expect(loadConfig(ShopConfig, env).shopKey).toBe('from a file');
  });

  test('given directly wins over the file', () => {
    expect(loadConfig(ShopConfig, { ...GOOD, SHOP_KEY_FILE: file('from a file') }).shopKey).toBe('kkkkkkkk');
  });

  test('in a file that cannot be read is a problem with a name', () => {
    const problems = problemsOf({ ...rest, SHOP_KEY_FILE: join(directory, 'absent') });
    expect(problems[0]).toBe('SHOP_KEY_FILE names a file that cannot be read');
  });

  test('in a file is held to the same rules, and not shown either', () => {
    const problems = problemsOf({ ...rest, SHOP_KEY_FILE: file('canary') });
    expect(problems).toEqual(['SHOP_KEY must have 8 characters at least']);
  });

  test('only: what is none is not read from a file', () => {
    expect(loadConfig(ShopConfig, { ...GOOD, HOST_FILE: file('elsewhere') }).host).toBe('127.0.0.1');
  });
});

test('the variables of a class are those of its parent, then its own; the parent knows nothing of them', () => {
  const names = envVariables(ShopConfig).map(({ name }) => name);
  expect(names).toEqual([...envVariables(ServiceConfig).map(({ name }) => name), 'SHOP_KEY', 'SHELVES']);
  expect(envVariables(ServiceConfig)).not.toContainEqual(expect.objectContaining({ name: 'SHELVES' }));
});

test('a reader reads once, so that everybody sees the same object', () => {
  const before = { ...process.env };
  try {
    Object.assign(process.env, GOOD);
    const read = configReader(ShopConfig);
    const first = read();
    process.env['SHELVES'] = '7';
    expect(read()).toBe(first);
  } finally {
    process.env = before;
  }
});
