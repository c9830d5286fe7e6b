import { join, resolve } from 'node:path';

/** Root of the repository, from `apps/launcher/dist` and from `apps/launcher/src` alike. */
export const ROOT = resolve(import.meta.dirname, '../../..');

export const DEFAULT_ORIGINS = 'http://127.0.0.1:*,http://localhost:*';
const DEFAULT_DELAYS = '0,30000,120000,600000,3600000';
const DEFAULT_TIMEOUT = '10000';
const LARGEST_PORT = 65_535;
const MOST_WORKERS = 16;

/** The configuration of `start`, read from the environment. Each address of a server replaces the server that `start` would run. */
export interface LauncherConfig {
  /** Mode of the services. In production the simulator is the sandbox alone, and there is no demo tenant. */
  mode: 'production' | 'development';
  dataDir: string;
  /** Address that the gateway listens on: loopback, or all of this machine. All else listens on loopback alone. */
  gatewayHost: string;
  /** Port of the gateway; 0: any free one. */
  gatewayPort: number;
  gatewayPublicUrl: string | undefined;
  /** Number of session workers that share the sessions. */
  sessionWorkers: number;
  /** Address of the database, which replaces the embedded one; the next fields do the same. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  platformUrl: string | undefined;
  platformTrustRoot: string | undefined;
  platformCa: string | undefined;
  webhooks: { delays: string; timeout: string; origins: string };
  /** The environment as it came: children get named parts of it, never the whole. */
  env: NodeJS.ProcessEnv;
}

type Read = (name: string) => string | undefined;

const isPort = (value: string): boolean => /^\d{1,5}$/.test(value) && Number(value) <= LARGEST_PORT;
const isCount = (value: string): boolean => /^[1-9]\d?$/.test(value) && Number(value) <= MOST_WORKERS;
const matches = (pattern: RegExp) => (value: string) => pattern.test(value);

const MODE = /^(production|development)$/;
const RULES: readonly (readonly [name: string, holds: (value: string) => boolean, rule: string])[] = [
  ['SVC_MODE', matches(MODE), 'must be production or development'],
  ['GATEWAY_HOST', matches(/^(127\.0\.0\.1|0\.0\.0\.0)$/), 'must be 127.0.0.1 or 0.0.0.0'],
  ['GATEWAY_PORT', isPort, `must be a port from 0 to ${LARGEST_PORT}`],
  ['SESSION_WORKERS', isCount, `must be a number from 1 to ${MOST_WORKERS}`],
  ['DATABASE_URL', matches(/^postgres(ql)?:\/\//), 'must start with postgres://'],
  ['NATS_URL', matches(/^(nats|tls):\/\//), 'must start with nats:// or tls://'],
  ['PLATFORM_URL', matches(/^wss?:\/\//), 'must start with wss:// or ws://'],
  ['PLATFORM_TRUST_ROOT', matches(/^[0-9a-f]{64}$/i), 'must be 32 bytes in hex'],
  ['GATEWAY_PUBLIC_URL', matches(/^https?:\/\//), 'must start with https:// or http://'],
  ['WEBHOOK_RETRY_DELAYS_MS', matches(/^\d+(,\d+)*$/), 'must be milliseconds separated by commas'],
  ['WEBHOOK_TIMEOUT_MS', matches(/^[1-9]\d*$/), 'must be a number of milliseconds'],
];

/**
 * Reads the environment; empty strings count as absent.
 * @throws Error naming every variable that is wrong, never its value: it may hold a password.
 */
export function readConfig(env: NodeJS.ProcessEnv): LauncherConfig {
  const read: Read = (name) => env[name]?.trim() || undefined;
  refuseWrong(read);
  const mode = read('SVC_MODE') === 'production' ? 'production' : 'development';
  return {
    mode,
    dataDir: dataDirOf(env),
    gatewayHost: read('GATEWAY_HOST') ?? '127.0.0.1',
    gatewayPort: Number(read('GATEWAY_PORT') ?? 3000),
    gatewayPublicUrl: read('GATEWAY_PUBLIC_URL'),
    sessionWorkers: Number(read('SESSION_WORKERS') ?? 1),
    databaseUrl: read('DATABASE_URL'),
    natsUrl: read('NATS_URL'),
    platformUrl: read('PLATFORM_URL'),
    platformTrustRoot: read('PLATFORM_TRUST_ROOT')?.toLowerCase(),
    platformCa: read('PLATFORM_CA_FILE'),
    webhooks: {
      delays: read('WEBHOOK_RETRY_DELAYS_MS') ?? DEFAULT_DELAYS,
      timeout: read('WEBHOOK_TIMEOUT_MS') ?? DEFAULT_TIMEOUT,
      origins: read('WEBHOOK_ALLOWED_ORIGINS') ?? (mode === 'production' ? '' : DEFAULT_ORIGINS),
    },
    env,
  };
}

function refuseWrong(read: Read): void {
  const problems = RULES.filter(([name, holds]) => {
    const value = read(name);
    return value !== undefined && !holds(value);
  }).map(([name, , rule]) => `${name} ${rule}`);
  if (read('PLATFORM_TRUST_ROOT') && !read('PLATFORM_URL')) {
    problems.push('PLATFORM_TRUST_ROOT needs PLATFORM_URL: the simulator has a trust root of its own');
  }
  if (problems.length > 0) throw new Error(`Wrong configuration:\n  ${problems.join('\n  ')}`);
}

/** Resolves the folder against the repository and not the current folder, so that `start` and `operator` meet wherever they are called. */
export function dataDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(ROOT, env['DATA_DIR']?.trim() || join(ROOT, '.data'));
}
