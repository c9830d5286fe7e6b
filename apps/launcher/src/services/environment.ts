import { join } from 'node:path';
import type { LauncherConfig } from '../config.js';
import { MEDIA_FOLDER, SIMULATOR_CA_FILE, SIMULATOR_STATE_FILE } from '../state/data-dir.js';
import type { Secrets } from '../state/secrets.js';
import { GATEWAY, type ServiceRow, SIMULATOR } from './services.js';
import { MACHINE_VARIABLES, type Runtime, runtimeOf } from './runtime.js';

/** Variables by name; absent ones are undefined. */
export type Variables = Record<string, string | undefined>;

/** Addresses of the servers and of the platform, once they run. */
export interface StackAddresses {
  databaseUrl: string;
  natsUrl: string;
  platformUrl: string;
  platformTrustRoot: string | undefined;
  /** File with the authority of the platform's media host, where it is one of its own. */
  platformCa: string | undefined;
  gatewayPort: number;
  /** Variables of the simulator, where there is one: sandbox sessions use it, too. */
  sandbox?: Record<
    'SANDBOX_PLATFORM_URL' | 'SANDBOX_PLATFORM_TRUST_ROOT' | 'SANDBOX_CONTROL_URL' | 'SANDBOX_LLM_URL',
    string
  >;
}

/** Makes every variable that the launcher has for services; each service gets those that it reads. */
export function serviceVariables(
  config: LauncherConfig,
  secrets: Secrets,
  addresses: StackAddresses,
): Variables {
  return {
    ...config.env,
    SVC_MODE: config.mode,
    HOST: '127.0.0.1',
    GATEWAY_HOST: config.gatewayHost,
    DATABASE_URL: addresses.databaseUrl,
    NATS_URL: addresses.natsUrl,
    ...livePlatform(config, addresses),
    SANDBOX_PLATFORM_CA_FILE: addresses.sandbox && addresses.platformCa,
    ...addresses.sandbox,
    ...operatorsModel(config, addresses),
    GATEWAY_PORT: String(addresses.gatewayPort),
    // Nobody looks for another gateway here: a wait would only lengthen every end.
    PRE_STOP_MS: config.env['PRE_STOP_MS'] || '0',
    // It stands on link pages, which there are once the operator has confirmed the name of a tenant.
    INSTALLATION_NAME: config.env['INSTALLATION_NAME'] || 'Local installation',
    GATEWAY_PUBLIC_URL: config.gatewayPublicUrl ?? gatewayUrl(addresses.gatewayPort),
    WEBHOOK_RETRY_DELAYS_MS: config.webhooks.delays,
    WEBHOOK_TIMEOUT_MS: config.webhooks.timeout,
    WEBHOOK_ALLOWED_ORIGINS: config.webhooks.origins,
    // A person who brings a database of an earlier installation brings its keys as well.
    KEY_PEPPER: config.env['KEY_PEPPER'] || secrets.keyPepper,
    SECRETS_KEY: config.env['SECRETS_KEY'] || secrets.secretsKey,
    CREDENTIALS_KEY: config.env['CREDENTIALS_KEY'] || secrets.credentialsKey,
    CONTACT_HASH_KEY: config.env['CONTACT_HASH_KEY'] || secrets.contactHashKey,
    MEDIA_DIR: config.env['MEDIA_DIR'] || join(config.dataDir, MEDIA_FOLDER),
    ...secrets.variables,
  };
}

/** Names the platform of live sessions. In production that is never the simulator: who names none has the worker's own default. */
function livePlatform(
  { mode }: LauncherConfig,
  { sandbox, platformUrl, platformTrustRoot, platformCa }: StackAddresses,
): Variables {
  if (mode === 'production' && sandbox) return {};
  return {
    PLATFORM_URL: platformUrl,
    PLATFORM_TRUST_ROOT: platformTrustRoot,
    PLATFORM_CA_FILE: platformCa,
  };
}

/** Names the model of the operator: where the platform is the simulator, its stand-in, so that a number is answered for nothing. */
function operatorsModel({ env, mode }: LauncherConfig, { sandbox }: StackAddresses): Variables {
  if (env['ASSISTANT_BASE_URL'] || !sandbox || mode === 'production') return {};
  return {
    ASSISTANT_BASE_URL: sandbox.SANDBOX_LLM_URL,
    ASSISTANT_MODEL: 'stand-in',
    ASSISTANT_KEY: 'operator',
  };
}

/** One process of a service. */
export interface ServiceProcess {
  row: ServiceRow;
  name: string;
  /** Table of the program that is started: that of another copy of the repository may read other variables. */
  runtime: Pick<Runtime, 'variables'>;
}

/** Makes the whole environment of one process of a service: the variables that it reads and nothing else. */
export function serviceEnvironment(
  { row, name, runtime }: ServiceProcess,
  variables: Variables,
  secrets: Secrets,
): NodeJS.ProcessEnv {
  return pick([...MACHINE_VARIABLES, ...runtime.variables], {
    ...variables,
    ...(row.name === GATEWAY ? { HOST: variables['GATEWAY_HOST'] } : {}),
    PORT: variables['GATEWAY_PORT'],
    OPS_PORT: '0',
    // The name is the same after a restart, so that the worker takes its partitions back immediately instead of waiting for its old leases.
    WORKER_NAME: `${name}-${secrets.stackId}`,
  });
}

/** Makes the whole environment of a program that brings a schema up to date. */
export function migrationEnvironment(variables: Variables): NodeJS.ProcessEnv {
  return pick([...MACHINE_VARIABLES, 'DATABASE_URL'], variables);
}

/** Makes the whole environment of the simulator. */
export function simulatorEnvironment(
  config: LauncherConfig,
  secrets: Secrets,
  ports: { websocket: number; control: number; media: number; llm: number },
): NodeJS.ProcessEnv {
  return pick([...MACHINE_VARIABLES, ...runtimeOf(SIMULATOR).variables], {
    ...config.env,
    SIMULATOR_HOST: '127.0.0.1',
    SIMULATOR_PORT: String(ports.websocket),
    SIMULATOR_CONTROL_PORT: String(ports.control),
    SIMULATOR_MEDIA_PORT: String(ports.media),
    SIMULATOR_LLM_PORT: String(ports.llm),
    SIMULATOR_CA_FILE: join(config.dataDir, SIMULATOR_CA_FILE),
    SIMULATOR_SEED: secrets.simulatorSeed,
    SIMULATOR_STATE_FILE: join(config.dataDir, SIMULATOR_STATE_FILE),
  });
}

export function gatewayUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function pick(names: readonly string[], from: Variables): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => from[name]).map((name) => [name, from[name]]));
}
