import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.js';
import {
  migrationEnvironment,
  serviceEnvironment,
  type ServiceProcess,
  serviceVariables,
  simulatorEnvironment,
} from './environment.js';
import type { Secrets } from '../state/secrets.js';
import { runtimeOf } from './runtime.js';
import { processNames, type ServiceRow, SERVICES } from './services.js';

const secrets: Secrets = {
  keyPepper: 'pepper',
  secretsKey: 'secrets key',
  credentialsKey: 'credentials key',
  contactHashKey: 'contact hash key',
  natsKey: 'nats key',
  databaseKey: 'database key',
  simulatorSeed: 'seed',
  variables: {},
  stackId: 'abcd',
};
const addresses = {
  databaseUrl: 'postgres://d',
  natsUrl: 'nats://n',
  platformUrl: 'ws://p',
  platformTrustRoot: 'root',
  platformCa: '/data/simulator-ca.pem',
  gatewayPort: 3100,
};
const rowOf = (name: string): ServiceRow => SERVICES.find((row) => row.name === name) as ServiceRow;
const processOf = (name: string, row = rowOf(name)): ServiceProcess => ({
  ...{ row, name },
  runtime: runtimeOf(row.name),
});
const environmentOf = (name: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv =>
  serviceEnvironment(processOf(name), serviceVariables(readConfig(env), secrets, addresses), secrets);

describe('the environment of a service', () => {
  test('holds what every service needs and nothing of another one', () => {
    expect(environmentOf('billing', { PATH: '/bin', AWS_SECRET: 'x', PORT: '80' })).toEqual({
      PATH: '/bin',
      SVC_MODE: 'development',
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      DATABASE_URL: 'postgres://d',
      NATS_URL: 'nats://n',
    });
  });

  test('lets the gateway alone be reached from outside, where a person says so', () => {
    const env = { GATEWAY_HOST: '0.0.0.0' };
    expect(environmentOf('api-gateway', env)).toMatchObject({ HOST: '0.0.0.0' });
    expect(environmentOf('limits', env)).toMatchObject({ HOST: '127.0.0.1' });
    expect(environmentOf('api-gateway')).toMatchObject({ HOST: '127.0.0.1' });
  });

  test('holds what a person sets of the variables that the service reads', () => {
    const env = { PAST_DUE_GRACE_DAYS: '3', WARMUP_LOOK_MS: '50' };
    expect(environmentOf('billing', env)).toMatchObject({ PAST_DUE_GRACE_DAYS: '3' });
    expect(environmentOf('billing', env)).not.toHaveProperty('WARMUP_LOOK_MS');
    expect(environmentOf('limits', env)).toMatchObject({ WARMUP_LOOK_MS: '50' });
  });

  test('gives each secret to the services that use it', () => {
    const holders = (value: string): string[] =>
      SERVICES.map(({ name }) => name).filter((name) => Object.values(environmentOf(name)).includes(value));
    expect(holders('pepper')).toEqual(['api-gateway']);
    expect(holders('secrets key')).toEqual(['assistant', 'webhook-dispatcher']);
    expect(holders('contact hash key')).toEqual([
      ...['limits', 'session-worker', 'assistant', 'webhook-dispatcher', 'api-gateway'],
    ]);
    expect(holders('credentials key')).toEqual(['session-worker']);
  });

  test('of a program of another copy holds what that one reads', () => {
    const variables = serviceVariables(readConfig({ PAST_DUE_GRACE_DAYS: '3' }), secrets, addresses);
    const billing = { ...processOf('billing'), runtime: { variables: ['PAST_DUE_GRACE_DAYS', 'NATS_URL'] } };
    const { PAST_DUE_GRACE_DAYS, NATS_URL, ...others } = serviceEnvironment(billing, variables, secrets);
    expect([PAST_DUE_GRACE_DAYS, NATS_URL, others]).toEqual(['3', 'nats://n', {}]);
  });

  test('gives the gateway its port and the address others see', () => {
    expect(environmentOf('api-gateway')).toMatchObject({
      PORT: '3100',
      PRE_STOP_MS: '0',
      GATEWAY_PUBLIC_URL: 'http://127.0.0.1:3100',
    });
    expect(environmentOf('api-gateway', { GATEWAY_PUBLIC_URL: 'https://api.example.com' })).toMatchObject({
      GATEWAY_PUBLIC_URL: 'https://api.example.com',
    });
  });

  test('lets local receivers through unless told otherwise', () => {
    expect(environmentOf('webhook-dispatcher')['WEBHOOK_ALLOWED_ORIGINS']).toBe(
      'http://127.0.0.1:*,http://localhost:*',
    );
    const env = { WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:9', WEBHOOK_RETRY_DELAYS_MS: '0,10' };
    expect(environmentOf('webhook-dispatcher', env)).toMatchObject(env);
  });

  test('lets the stand-in for models answer where the platform is the simulator, unless a person names another one', () => {
    const sandbox = {
      ...{
        SANDBOX_PLATFORM_URL: 'ws://p',
        SANDBOX_PLATFORM_TRUST_ROOT: 'root',
        SANDBOX_CONTROL_URL: 'http://c',
      },
      SANDBOX_LLM_URL: 'http://127.0.0.1:7073/llm/v1',
    };
    const assistantOf = (env: Record<string, string>): NodeJS.ProcessEnv =>
      serviceEnvironment(
        processOf('assistant'),
        serviceVariables(readConfig(env), secrets, { ...addresses, sandbox }),
        secrets,
      );
    expect(assistantOf({})).toMatchObject({
      SANDBOX_LLM_URL: sandbox.SANDBOX_LLM_URL,
      ASSISTANT_BASE_URL: sandbox.SANDBOX_LLM_URL,
      ASSISTANT_MODEL: 'stand-in',
      ASSISTANT_KEY: 'operator',
    });
    const own = { ASSISTANT_BASE_URL: 'http://127.0.0.1:11434/v1', ASSISTANT_MODEL: 'small-model' };
    expect(assistantOf(own)).toMatchObject({ ...own, SANDBOX_LLM_URL: sandbox.SANDBOX_LLM_URL });
    expect(environmentOf('assistant')).not.toHaveProperty('ASSISTANT_BASE_URL');
  });

  test('lets the simulator be the sandbox alone in production: live sessions and models are none of it', () => {
    const sandbox = {
      ...{ SANDBOX_PLATFORM_URL: 'ws://p', SANDBOX_PLATFORM_TRUST_ROOT: 'root' },
      ...{ SANDBOX_CONTROL_URL: 'http://c', SANDBOX_LLM_URL: 'http://127.0.0.1:7073/llm/v1' },
    };
    const config = readConfig({ SVC_MODE: 'production' });
    const variables = serviceVariables(config, secrets, { ...addresses, sandbox });
    const worker = serviceEnvironment(processOf('session-worker'), variables, secrets);
    expect(worker).toMatchObject({
      ...{ SVC_MODE: 'production', SANDBOX_PLATFORM_URL: 'ws://p' },
      SANDBOX_PLATFORM_CA_FILE: '/data/simulator-ca.pem',
    });
    for (const name of ['PLATFORM_URL', 'PLATFORM_TRUST_ROOT', 'PLATFORM_CA_FILE'])
      expect(worker).not.toHaveProperty(name);
    const assistant = serviceEnvironment(processOf('assistant'), variables, secrets);
    expect(assistant).toMatchObject({ SANDBOX_LLM_URL: sandbox.SANDBOX_LLM_URL });
    expect(assistant).not.toHaveProperty('ASSISTANT_BASE_URL');
  });

  test('takes the platform that a person names in production, too', () => {
    const config = readConfig({ SVC_MODE: 'production', PLATFORM_URL: 'wss://platform.example.com/ws' });
    const variables = serviceVariables(config, secrets, {
      ...addresses,
      platformUrl: 'wss://platform.example.com/ws',
    });
    expect(serviceEnvironment(processOf('session-worker'), variables, secrets)).toMatchObject({
      PLATFORM_URL: 'wss://platform.example.com/ws',
    });
  });

  test('names the worker after this stack, the same at every start', () => {
    expect(environmentOf('session-worker')).toMatchObject({
      WORKER_NAME: 'session-worker-abcd',
      PLATFORM_URL: 'ws://p',
      PLATFORM_TRUST_ROOT: 'root',
    });
  });

  test('gives every worker of the stack a name of its own, the same at every start', () => {
    const row = rowOf('session-worker');
    const variables = serviceVariables(readConfig({}), secrets, addresses);
    const names = processNames(row, 3);
    expect(names).toEqual(['session-worker', 'session-worker-2', 'session-worker-3']);
    expect(
      names.map((name) => serviceEnvironment(processOf(name, row), variables, secrets)['WORKER_NAME']),
    ).toEqual(['session-worker-abcd', 'session-worker-2-abcd', 'session-worker-3-abcd']);
  });

  test('runs several processes of the session worker alone', () => {
    expect(processNames(rowOf('webhook-dispatcher'), 3)).toEqual(['webhook-dispatcher']);
  });

  test('lets the sessions of the worker trust the hosts of the platform, and no process all that its authority signs', () => {
    const env = { NODE_EXTRA_CA_CERTS: '/own/ca.pem' };
    const ofPlatform = { PLATFORM_CA_FILE: '/data/simulator-ca.pem' };
    expect(environmentOf('session-worker', env)).toMatchObject({ ...env, ...ofPlatform });
    expect(environmentOf('webhook-dispatcher', env)).toMatchObject(env);
    expect(environmentOf('webhook-dispatcher', env)).not.toHaveProperty('PLATFORM_CA_FILE');
  });

  test('keeps the keys that a person brings along with a database', () => {
    expect(environmentOf('api-gateway', { KEY_PEPPER: 'brought along' })['KEY_PEPPER']).toBe('brought along');
  });

  test('of a migration holds the database alone', () => {
    const variables = serviceVariables(readConfig({ PATH: '/bin' }), secrets, addresses);
    expect(migrationEnvironment(variables)).toEqual({ PATH: '/bin', DATABASE_URL: 'postgres://d' });
  });
});

test('the simulator gets its ports, its seed and its place, and no secret of a service', () => {
  const config = readConfig({ DATA_DIR: '/data', LOG_LEVEL: 'debug' });
  expect(simulatorEnvironment(config, secrets, { websocket: 1, control: 2, media: 3, llm: 4 })).toEqual({
    SIMULATOR_HOST: '127.0.0.1',
    SIMULATOR_PORT: '1',
    SIMULATOR_CONTROL_PORT: '2',
    SIMULATOR_MEDIA_PORT: '3',
    SIMULATOR_LLM_PORT: '4',
    SIMULATOR_CA_FILE: '/data/simulator-ca.pem',
    SIMULATOR_SEED: 'seed',
    SIMULATOR_STATE_FILE: '/data/simulator.ndjson',
    LOG_LEVEL: 'debug',
  });
});
