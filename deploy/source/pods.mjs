// The pods of the services, and what all pods have in common.
import { camel, graceOf, SIMULATOR_LLM_PORT, SIMULATOR_MEDIA_PORT } from './services.mjs';
import { each, value, when } from './tree.mjs';

const UID = 10001;
const PART_OF = { 'app.kubernetes.io/part-of': 'messaging-gateway' };
/** Labels that select the pods of an app. */
export const labelsOf = (app) => ({ 'app.kubernetes.io/name': app, ...PART_OF });
export const EVERY_POD = PART_OF;

/** Secrets that several services share; all others lie in a Secret of the service's name. */
const secretOf = (app, name) => {
  if (name === 'NATS_PASSWORD') return { name: 'nats-users', key: app };
  if (name === 'DATABASE_URL') return { name: `${app}-database`, key: name };
  if (name.startsWith('CONTACT_HASH_KEY')) return { name: 'contact-hash', key: name };
  return { name: app, key: name };
};
/** Other ways to prove to NATS who one is: manifests use user and password. */
const OTHER_WAYS = ['NATS_CREDS', 'NATS_KEY'];
const MEDIA_KEYS = ['MEDIA_S3_ACCESS_KEY', 'MEDIA_S3_SECRET_KEY'];

const secretEnv = (name, secretKeyRef) => ({ name, valueFrom: { secretKeyRef } });
const optional = (name, ref) => secretEnv(name, { ...ref, optional: true });

/** Everything of a pod that says what it may not do. */
export const pod = (spec) => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: UID,
    runAsGroup: UID,
    fsGroup: UID,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  ...spec,
});

/** Memory is reserved and bounded; processor time is reserved alone, because a bound of it halts a process that holds leases. */
export const container = (at, spec, size = { cpu: value(`${at}.cpu`), memory: value(`${at}.memory`) }) => ({
  image: value(`${at}.image`),
  ...spec,
  resources: {
    requests: { cpu: size.cpu, memory: size.memory },
    limits: { memory: size.memory },
  },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
});

/** Nothing else of the Secret: the one of CloudNativePG has the key of the authority, too. */
const CA = { items: [{ key: 'ca.crt', path: 'ca.crt' }] };
/** Certificate of the authority of the database: `sslrootcert=/etc/svc/database-ca/ca.crt` of a DATABASE_URL names it. */
export const DATABASE_CA = {
  mount: { name: 'database-ca', mountPath: '/etc/svc/database-ca', readOnly: true },
  volume: { name: 'database-ca', secret: { ...CA, secretName: 'database-ca', optional: true } },
};

function envOf({ app, needs, folders, variables, settings = {}, sandbox = {}, sandboxSecrets = {} }) {
  const names = variables.filter(
    ({ secret, name }) => secret && ![...OTHER_WAYS, ...MEDIA_KEYS].includes(name),
  );
  const has = (name) => variables.some((one) => one.name === name);
  return [
    { name: 'HOST', value: '0.0.0.0' },
    { name: 'NATS_URL', value: value('natsUrl') },
    { name: 'NATS_USER', value: app },
    { name: 'NATS_STREAM_REPLICAS', value: value('natsStreamReplicas') },
    when('plaintextHosts', { name: 'PLAINTEXT_HOSTS', value: value('plaintextHosts') }),
    ...Object.entries(folders).map(([name, path]) => ({ name, value: path })),
    ...(has('MEDIA_S3_ENDPOINT') ? [when('media.s3.endpoint', mediaSettings())] : []),
    ...Object.entries(settings).map(([name, path]) => when(path, { name, value: value(path) })),
    when('simulator.enabled', [
      ...Object.entries(sandbox).map(([name, text]) => ({ name, value: text })),
      ...Object.entries(sandboxSecrets).map(([name, key]) =>
        secretEnv(name, { name: 'simulator-trust', key }),
      ),
    ]),
    each(`${camel(app)}.env`, (name, text) => ({ name, value: text })),
    ...names.map(({ name }) =>
      needs.includes(name) ? secretEnv(name, secretOf(app, name)) : optional(name, secretOf(app, name)),
    ),
    optional('NATS_CA', { name: 'nats-ca', key: 'ca.crt' }),
  ];
}

/** Variables of an S3: all of them, or none. */
const mediaSettings = () => [
  ...Object.entries({ ENDPOINT: 'endpoint', BUCKET: 'bucket', REGION: 'region' }).map(([name, key]) => ({
    name: `MEDIA_S3_${name}`,
    value: value(`media.s3.${key}`),
  })),
  ...MEDIA_KEYS.map((name) => secretEnv(name, { name: 'media-s3', key: name })),
];

/** Volumes for the folders that a program writes to: one that gateway, workers and assistants share, or one that ends with the pod beside S3. */
function volumesOf({ folders }) {
  const claim = { name: 'media', persistentVolumeClaim: { claimName: 'media' } };
  return [
    { name: 'temporary', emptyDir: {} },
    DATABASE_CA.volume,
    ...(Object.keys(folders).length > 0
      ? [when('media.claim.accessMode', claim), when('media.s3.endpoint', { name: 'media', emptyDir: {} })]
      : []),
  ];
}

const probe = (path, more) => ({ httpGet: { path, port: 'ops' }, ...more });
/** A program waits a minute for its database before it gives up: the first probe has more patience. */
const PROBES = {
  startupProbe: probe('/health/live', { periodSeconds: 3, failureThreshold: 40 }),
  livenessProbe: probe('/health/live', { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 }),
  readinessProbe: probe('/health/ready', { periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 }),
};

const portsOf = (ports) =>
  Object.entries(ports).map(([name, containerPort]) => ({
    name: name === 'PORT' ? 'http' : 'ops',
    containerPort,
  }));

/** Pods of a service: new ones are ready before old ones end, so that there is always somebody to take the partitions over. */
export function deployment(service) {
  const { app, nodeFlags, ports, folders } = service;
  const labels = labelsOf(app);
  const replicas = `${camel(app)}.replicas`;
  const spread = (topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, labels },
    spec: {
      replicas: when(replicas, value(replicas)),
      revisionHistoryLimit: 5,
      minReadySeconds: app === 'session-worker' ? 30 : 5,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: pod({
          terminationGracePeriodSeconds: graceOf(app),
          topologySpreadConstraints: [
            spread('kubernetes.io/hostname'),
            spread('topology.kubernetes.io/zone'),
          ],
          containers: [
            container(camel(app), {
              name: app,
              args: [...nodeFlags, 'dist/bundle/main.js'],
              ports: portsOf(ports),
              env: envOf(service),
              ...PROBES,
              volumeMounts: [
                { name: 'temporary', mountPath: '/tmp' },
                DATABASE_CA.mount,
                ...Object.values(folders).map((mountPath) => ({ name: 'media', mountPath })),
              ],
            }),
          ],
          volumes: volumesOf(service),
        }),
      },
    },
  };
}

/**
 * The platform of sandbox sessions: one process, whose accounts end with its pod. It tells clients the host that it listens on, and its
 * certificate is for that one: the name of its Service, which the pod takes for its own.
 */
export function simulator({ ports }) {
  const labels = labelsOf('simulator');
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'simulator', labels },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: pod({
          hostname: 'simulator',
          terminationGracePeriodSeconds: graceOf('simulator'),
          containers: [
            container('simulator', {
              name: 'simulator',
              args: ['dist/bundle/main.js'],
              ports: [
                { name: 'platform', containerPort: ports.SIMULATOR_PORT },
                { name: 'control', containerPort: ports.SIMULATOR_CONTROL_PORT },
                { name: 'media', containerPort: SIMULATOR_MEDIA_PORT },
                { name: 'llm', containerPort: SIMULATOR_LLM_PORT },
              ],
              env: [
                { name: 'SIMULATOR_HOST', value: 'simulator' },
                { name: 'SIMULATOR_MEDIA_PORT', value: String(SIMULATOR_MEDIA_PORT) },
                { name: 'SIMULATOR_LLM_PORT', value: String(SIMULATOR_LLM_PORT) },
                secretEnv('SIMULATOR_SEED', { name: 'simulator', key: 'SIMULATOR_SEED' }),
              ],
              startupProbe: { tcpSocket: { port: 'control' }, periodSeconds: 3, failureThreshold: 20 },
              livenessProbe: { tcpSocket: { port: 'control' }, periodSeconds: 10, failureThreshold: 3 },
              readinessProbe: { tcpSocket: { port: 'platform' }, periodSeconds: 5, failureThreshold: 2 },
              volumeMounts: [{ name: 'temporary', mountPath: '/tmp' }],
            }),
          ],
          volumes: [{ name: 'temporary', emptyDir: {} }],
        }),
      },
    },
  };
}
