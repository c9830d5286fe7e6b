// The values of the overlays; those of `production` are the defaults of the chart.
import { camel, imageOf, services } from './services.mjs';

const sized = (change) =>
  Object.fromEntries(
    services.map(({ app, size }) => [camel(app), { image: imageOf(app), ...size, ...change, env: {} }]),
  );

const production = {
  natsUrl: 'tls://nats:4222',
  natsStreamReplicas: '3',
  plaintextHosts: '',
  publicUrl: 'https://api.example.com',
  trustedProxies: '',
  media: {
    s3: { endpoint: 'https://s3.eu-central-1.amazonaws.com', bucket: 'svc-media', region: 'eu-central-1' },
    claim: { accessMode: '', size: '20Gi' },
  },
  autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 12, cpuPercent: 70 },
  route: { host: 'api.example.com', gateway: 'public', gatewayNamespace: 'gateways' },
  network: { databaseAddresses: [], monitoringNamespace: 'monitoring' },
  simulator: { enabled: false, image: imageOf('simulator'), cpu: '100m', memory: '256Mi' },
  ...sized({}),
};

const small = {
  ...production,
  natsUrl: 'nats://nats:4222',
  natsStreamReplicas: '1',
  plaintextHosts: 'nats',
  publicUrl: '',
  media: {
    s3: { endpoint: '', bucket: '', region: '' },
    claim: { accessMode: 'ReadWriteMany', size: '20Gi' },
  },
  autoscaling: { ...production.autoscaling, enabled: false },
  route: { host: '', gateway: '', gatewayNamespace: '' },
  ...sized({ replicas: 1, cpu: '100m' }),
};

const sandbox = { ...small, simulator: { ...small.simulator, enabled: true } };

/** Overlays by name. */
export const OVERLAYS = { small, production, sandbox };

/** Texts that stand between quotes in the templates, so without quotes of their own. */
const TEXT = { type: 'string', pattern: '^[^"\\\\\\n]*$' };

/** Describes the values for Helm: each may be left out, and no other is taken. */
export function schemaOf(values, least = 0) {
  if (Array.isArray(values)) return { type: 'array', items: TEXT };
  if (typeof values === 'string') return TEXT;
  if (typeof values === 'number') return { type: 'integer', minimum: least };
  if (typeof values === 'boolean') return { type: 'boolean' };
  const properties = Object.entries(values).map(([name, one]) => [
    name,
    name === 'env'
      ? {
          description: 'Further variables of docs/configuration.md; secret ones stand in Secrets.',
          type: 'object',
          propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' },
          additionalProperties: TEXT,
        }
      : schemaOf(one, values === production.apiGateway ? 0 : 1),
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}
