import { join, resolve } from 'node:path';

/** Root of the repository, from `apps/launcher/dist` and from `apps/launcher/src` alike. */
export const ROOT = resolve(import.meta.dirname, '../../..');

export const DEFAULT_ORIGINS = 'http://127.0.0.1:*,http://localhost:*';
const DEFAULT_DELAYS = '0,30000,120000,600000,3600000';
const DEFAULT_TIMEOUT = '10000';
const LARGEST_PORT = 65_535;

/** What `start` is told by its environment (design: interfaces, "Environment"). */
export interface LauncherConfig {
  dataDir: string;
  /** 0: any free one. */
  gatewayPort: number;
  gatewayPublicUrl: string | undefined;
  /** Each of these replaces an embedded part. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  platformUrl: string | undefined;
  platformTrustRoot: string | undefined;
  extraCa: string | undefined;
  webhooks: { delays: string; timeout: string; origins: string };
  /** The environment as it came: children get named parts of it, never the whole. */
  env: NodeJS.ProcessEnv;
}

const RULES: Record<string, { pattern: RegExp; rule: string }> = {
  GATEWAY_PORT: { pattern: /^\d{1,5}$/, rule: `must be a port from 0 to ${LARGEST_PORT}` },
  DATABASE_URL: { pattern: /^postgres(ql)?:\/\//, rule: 'must start with postgres://' },
  NATS_URL: { pattern: /^(nats|tls):\/\//, rule: 'must start with nats:// or tls://' },
  PLATFORM_URL: { pattern: /^wss?:\/\//, rule: 'must start with wss:// or ws://' },
  PLATFORM_TRUST_ROOT: { pattern: /^[0-9a-f]{64}$/i, rule: 'must be 32 bytes in hex' },
  GATEWAY_PUBLIC_URL: { pattern: /^https?:\/\//, rule: 'must start with https:// or http://' },
  WEBHOOK_RETRY_DELAYS_MS: { pattern: /^\d+(,\d+)*$/, rule: 'must be milliseconds separated by commas' },
  WEBHOOK_TIMEOUT_MS: { pattern: /^[1-9]\d*$/, rule: 'must be a number of milliseconds' },
};

/**
 * Reads the environment; empty strings count as absent.
 * @throws Error naming every variable that is wrong, never its value: it may hold a password.
 */
export function readConfig(env: NodeJS.ProcessEnv): LauncherConfig {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const wrong = Object.entries(RULES).filter(([name, { pattern }]) => !pattern.test(read(name) ?? 'absent'));
  const problems = wrong
    .filter(([name]) => read(name) !== undefined)
    .map(([name, { rule }]) => `${name} ${rule}`);
  const gatewayPort = Number(read('GATEWAY_PORT') ?? 3000);
  if (gatewayPort > LARGEST_PORT) problems.push(`GATEWAY_PORT ${RULES['GATEWAY_PORT']?.rule}`);
  if (read('PLATFORM_TRUST_ROOT') && !read('PLATFORM_URL')) {
    problems.push('PLATFORM_TRUST_ROOT needs PLATFORM_URL: the simulator has a trust root of its own');
  }
  if (problems.length > 0) throw new Error(`Wrong configuration:\n  ${[...new Set(problems)].join('\n  ')}`);
  return {
    dataDir: dataDirOf(env),
    gatewayPort,
    gatewayPublicUrl: read('GATEWAY_PUBLIC_URL'),
    databaseUrl: read('DATABASE_URL'),
    natsUrl: read('NATS_URL'),
    platformUrl: read('PLATFORM_URL'),
    platformTrustRoot: read('PLATFORM_TRUST_ROOT')?.toLowerCase(),
    extraCa: read('NODE_EXTRA_CA_CERTS'),
    webhooks: {
      delays: read('WEBHOOK_RETRY_DELAYS_MS') ?? DEFAULT_DELAYS,
      timeout: read('WEBHOOK_TIMEOUT_MS') ?? DEFAULT_TIMEOUT,
      origins: read('WEBHOOK_ALLOWED_ORIGINS') ?? DEFAULT_ORIGINS,
    },
    env,
  };
}

/** Against the repository and not the current folder, so that `start` and `operator` meet wherever they are called. */
export function dataDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(ROOT, env['DATA_DIR']?.trim() || join(ROOT, '.data'));
}
