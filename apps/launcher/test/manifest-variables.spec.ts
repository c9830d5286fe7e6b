import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';

/** Functions of the build and of deploy/, which have no types. */
interface Deploy {
  OVERLAYS: Record<string, object>;
  fill(tree: object, values: object): Deployment;
  deployment(service: Service): object;
  services: Service[];
  configOf(app: string): Promise<{ type: object }>;
  loadConfig(type: object, env: Record<string, string>): { mode: string };
}
interface Service {
  app: string;
}
interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}
interface Deployment {
  spec: { template: { spec: { containers: [{ env: Variable[] }] } } };
}
const modules: object[] = [];
for (const path of [
  'deploy/source/values.mjs',
  'deploy/source/tree.mjs',
  'deploy/source/pods.mjs',
  'deploy/source/services.mjs',
  'tools/variables.mjs',
  'libs/service/dist/index.js',
])
  modules.push((await import(`../../../${path}`)) as object);
const { OVERLAYS, fill, deployment, services, configOf, loadConfig } = Object.assign(
  {},
  ...modules,
) as Deploy;

/** Secrets that are no random keys. */
const SECRETS: Record<string, string> = {
  DATABASE_URL:
    'postgres://svc:secret@database-rw:5432/svc?sslmode=verify-full&sslrootcert=/etc/svc/database-ca/ca.crt',
  SANDBOX_PLATFORM_TRUST_ROOT: randomBytes(32).toString('hex'),
  SANDBOX_PLATFORM_CA: '-----BEGIN CERTIFICATE-----',
};

const CASES = Object.entries(OVERLAYS).flatMap(([name, values]) =>
  services.map((service) => ({ name, app: service.app, values, service })),
);

test.each(CASES)(
  'with the variables of $name, $app starts in production',
  async ({ app, values, service }) => {
    const [{ env }] = fill(deployment(service), values).spec.template.spec.containers;
    const given = env
      .filter(({ valueFrom }) => valueFrom?.secretKeyRef.optional !== true)
      .map(({ name, value }) => [name, value ?? SECRETS[name] ?? randomBytes(32).toString('base64')]);
    const { type } = await configOf(app);
    expect(loadConfig(type, Object.fromEntries(given) as Record<string, string>)).toMatchObject({
      mode: 'production',
    });
  },
);
