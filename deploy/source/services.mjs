// The table of what is deployed: what a program needs is in apps/<app>/runtime.json and docs/configuration.md, and here is what a cluster adds.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/**
 * Services: replicas in production, processor time that is reserved, and memory, which is reserved and the most that a process gets (`size`); whom
 * it calls beside the database and NATS (`exits`); the port that customers call; the values of the chart that become variables of it
 * (`settings`); what it has to know of the simulator (`sandbox`, `sandboxSecrets`).
 */
const SERVICES = {
  'api-gateway': {
    // The autoscaler has the say on replicas: a number here would set it back with each roll-out.
    size: { replicas: 0, cpu: '500m', memory: '768Mi' },
    exits: ['https'],
    customers: 'PORT',
    settings: {
      GATEWAY_PUBLIC_URL: 'publicUrl',
      TRUSTED_PROXIES: 'trustedProxies',
    },
    sandbox: { SANDBOX_CONTROL_URL: 'http://simulator:7071' },
  },
  'session-worker': {
    size: { replicas: 3, cpu: '500m', memory: '1Gi' },
    exits: ['public'],
    sandbox: { SANDBOX_PLATFORM_URL: 'ws://simulator:7070/ws/chat' },
    sandboxSecrets: { SANDBOX_PLATFORM_TRUST_ROOT: 'TRUST_ROOT', SANDBOX_PLATFORM_CA: 'CA' },
  },
  'webhook-dispatcher': {
    size: { replicas: 2, cpu: '500m', memory: '768Mi' },
    exits: ['public'],
  },
  assistant: {
    // A file of a contact unpacks to 220 MB at most before its reading is ended.
    size: { replicas: 2, cpu: '250m', memory: '640Mi' },
    exits: ['public'],
    sandbox: { SANDBOX_LLM_URL: 'http://simulator:7073/llm/v1' },
  },
  limits: {
    size: { replicas: 2, cpu: '250m', memory: '384Mi' },
    exits: [],
  },
  billing: {
    size: { replicas: 2, cpu: '50m', memory: '256Mi' },
    exits: ['https'],
  },
};

/** Ports of the simulator for files and for models. Its table has none, because it takes any free ones by default. */
export const SIMULATOR_MEDIA_PORT = 7072;
export const SIMULATOR_LLM_PORT = 7073;

/** Name of a service among the values of the chart. */
export const camel = (app) => app.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Lists the variables of an app as docs/configuration.md has them, which is generated from its config class. */
export function variablesOf(app) {
  const [, section = ''] = read('docs/configuration.md').split(`\n## ${app}\n`);
  const rows = section
    .split('\n## ')[0]
    .matchAll(/^\| `([A-Z0-9_]+)`( \(secret\)| \(or a file\))? +\| +(?:`([^`]*)`)?/gm);
  return [...rows].map(([, name, secret, usual]) => ({ name, secret: secret === ' (secret)', usual }));
}

/** Reads what the program of an app needs at run time. */
export const runtimeOf = (app) => ({
  nodeFlags: [],
  folders: {},
  ...JSON.parse(read(`apps/${app}/runtime.json`)),
});

/** Version of an app, which its image has as tag. */
export const imageOf = (app) => `svc/${app}:${JSON.parse(read(`apps/${app}/package.json`)).version}`;

/** Services of the gateway, each with its table. */
export const services = Object.entries(SERVICES).map(([app, more]) => ({
  app,
  ...more,
  ...runtimeOf(app),
  variables: variablesOf(app),
}));

/** Seconds that a pod has to end: as long as the program may take, and as long before that as it still answers requests. */
export function graceOf(app, preStopMs) {
  const usual = variablesOf(app).find(({ name }) => name === 'PRE_STOP_MS')?.usual ?? 0;
  return runtimeOf(app).graceSeconds + Math.ceil(Number(preStopMs ?? usual) / 1000);
}
