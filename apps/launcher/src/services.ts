import { join } from 'node:path';
import { ROOT } from './config.js';

/** A service of ours, as the launcher knows it: plain data. */
export interface ServiceRow {
  name: string;
  /** What it reads beyond `SERVICE_VARIABLES`. It gets these and no others. */
  variables: readonly string[];
  /** Stopped in this order; those of one number together. */
  stopOrder: number;
  /** Of one that works through a queue: whoever answers a caller goes first where the machine is busy (ADR 24). */
  niceness?: number;
  /** Flags of its Node.js. */
  nodeFlags?: readonly string[];
}

/** What every service reads. */
export const SERVICE_VARIABLES = [
  'DATABASE_URL',
  'NATS_URL',
  'SVC_MODE',
  'HOST',
  'PORT',
  'LOG_LEVEL',
] as const;

/** What every process needs from the machine it runs on. */
export const MACHINE_VARIABLES = ['PATH', 'HOME', 'TZ', 'NODE_EXTRA_CA_CERTS'] as const;

/** Of those who keep and hand out media. */
const MEDIA_VARIABLES = [
  'MEDIA_DIR',
  'MEDIA_S3_ENDPOINT',
  'MEDIA_S3_BUCKET',
  'MEDIA_S3_REGION',
  'MEDIA_S3_ACCESS_KEY',
  'MEDIA_S3_SECRET_KEY',
];

export const GATEWAY = 'api-gateway';
export const WORKER = 'session-worker';
export const SIMULATOR = 'simulator';

/** A third of the processor's time where both want it, and behind the others when both wake up. */
const GIVES_WAY = 5;

/**
 * In MB. What a send leaves behind is garbage when it is answered; with the 16 MB of the default a part of it is taken for lasting, and every four seconds
 * the whole heap is gone through, by as many threads as there are, while sends wait for 40 ms (ADR 24). The
 * dispatcher has what waits for its commit, which is copied from one half to the other less often.
 */
const YOUNG_MB = 64;

/**
 * In MB: below that the heap is not gone through as a whole. Without it, where little of the young generation lasts, the bound sinks towards what is in use, and a
 * dispatcher that is busy goes through its heap every ten thousand deliveries, for 300 ms of processor time each (ADR 29).
 */
const HEAP_MB = 256;

/** Every service with its schema. The customer's door closes first, what others ask closes last. */
export const SERVICES: readonly ServiceRow[] = [
  {
    name: 'billing',
    variables: [
      'PAST_DUE_GRACE_DAYS',
      'SESSIONS_INCLUDED',
      'MESSAGES_PER_DAY',
      'LLM_CALLS_PER_DAY',
      'TOKENS_INCLUDED',
      'TOKEN_OVERAGE',
      'STORAGE_INCLUDED',
      'REQUEST_PACE',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRETS',
      'STRIPE_PRICES',
      'STRIPE_API_URL',
      'BILLING_RETURN_URL',
    ],
    stopOrder: 3,
  },
  {
    name: 'limits',
    variables: [
      'WARMUP_DWELL_DAYS',
      'WARMUP_LEAST_USED',
      'WARMUP_LEAST_DELIVERED',
      'WARMUP_MOST_FAILED',
      'WARMUP_LEAST_REPLIED',
      'WARMUP_MOST_DISCONNECTS',
      'WARMUP_LOOK_MS',
    ],
    stopOrder: 3,
  },
  {
    name: WORKER,
    variables: [
      'WORKER_NAME',
      'CREDENTIALS_KEY',
      'PLATFORM_URL',
      'PLATFORM_TRUST_ROOT',
      'SANDBOX_PLATFORM_URL',
      'SANDBOX_PLATFORM_TRUST_ROOT',
      'LEASE_MS',
      'SEND_EXPIRY_MS',
      'ACK_TIMEOUT_MS',
      'LOGIN_TIMEOUT_MS',
      'LOGINS_AT_ONCE',
      'QR_LOOK_MS',
      'LINK_TIMEOUT_MS',
      'KEEP_ALIVE_MS',
      'STALL_TIMEOUT_MS',
      'RETENTION_DAYS',
      'MEDIA_MAX_BYTES',
      'MEDIA_TIMEOUT_MS',
      'MEDIA_DOWNLOADS',
      'MEDIA_SEND_TIMEOUT_MS',
      'WEBHOOK_ALLOWED_ORIGINS',
      'OWN_ADDRESSES',
      ...MEDIA_VARIABLES,
    ],
    stopOrder: 2,
    niceness: GIVES_WAY,
  },
  {
    name: 'webhook-dispatcher',
    variables: [
      'WORKER_NAME',
      'SECRETS_KEY',
      'WEBHOOK_RETRY_DELAYS_MS',
      'WEBHOOK_TIMEOUT_MS',
      'WEBHOOK_HOLD_DAYS',
      'WEBHOOK_HOLD_LIMIT',
      'RETENTION_DAYS',
      'DEAD_LETTER_DAYS',
      'WEBHOOK_ALLOWED_ORIGINS',
      'OWN_ADDRESSES',
    ],
    stopOrder: 2,
    nodeFlags: [`--max-semi-space-size=${YOUNG_MB}`, `--initial-old-space-size=${HEAP_MB}`],
  },
  {
    name: GATEWAY,
    variables: [
      'KEY_PEPPER',
      'KEY_PEPPER_VERSION',
      'KEY_PEPPER_PREVIOUS',
      'REQUESTS_PER_SECOND',
      'EVENT_STREAMS_PER_TENANT',
      'EVENT_STREAMS',
      'GATEWAY_PUBLIC_URL',
      'SANDBOX_CONTROL_URL',
      'CHAT_LINK_URL',
      'TRUSTED_PROXIES',
      'WEBHOOK_ALLOWED_ORIGINS',
      'OWN_ADDRESSES',
      ...MEDIA_VARIABLES,
    ],
    stopOrder: 1,
    nodeFlags: [`--max-semi-space-size=${YOUNG_MB}`],
  },
];

/** What the simulator reads; it has no schema and stops after those who speak to it. */
export const SIMULATOR_ROW: ServiceRow = {
  name: SIMULATOR,
  variables: [
    'SIMULATOR_HOST',
    'SIMULATOR_PORT',
    'SIMULATOR_CONTROL_PORT',
    'SIMULATOR_MEDIA_PORT',
    'SIMULATOR_CA_FILE',
    'SIMULATOR_SEED',
    'SIMULATOR_STATE_FILE',
    'LOG_LEVEL',
  ],
  stopOrder: 4,
  niceness: GIVES_WAY,
};

/** PostgreSQL and nats-server stop after everybody who uses them. */
export const SERVERS_STOP_ORDER = 5;

/** Names of the processes of a service: its own, and `-2`, `-3` … for the session workers beside the first. */
export function processNames({ name }: ServiceRow, sessionWorkers: number): string[] {
  const count = name === WORKER ? sessionWorkers : 1;
  return Array.from({ length: count }, (_, n) => (n === 0 ? name : `${name}-${n + 1}`));
}

/** A bundled program of an app: `main` stays, `migrate` ends by itself. */
export function programOf(name: string, program: 'main' | 'migrate'): string {
  return join(ROOT, 'apps', name, 'dist/bundle', `${program}.js`);
}
