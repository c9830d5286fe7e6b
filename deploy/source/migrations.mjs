// The Jobs that bring the schemas up to date before a roll-out, all as the owner of the database.
import { container, DATABASE_CA, EVERY_POD, pod } from './pods.mjs';
import { camel } from './services.mjs';

/** Helm runs them before everything else, at the first installation and at each upgrade; Kustomize has a folder of its own for them. */
const HOOK = {
  'helm.sh/hook': 'pre-install,pre-upgrade',
  'helm.sh/hook-delete-policy': 'before-hook-creation',
};

/** Job of one service. @param withHook adds what Helm goes by. */
export function migration({ app }, withHook) {
  const name = `${app}-migration`;
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'migration', ...EVERY_POD };
  const owner = { name: 'database-owner', key: 'DATABASE_URL' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels, ...(withHook ? { annotations: HOOK } : {}) },
    spec: {
      backoffLimit: 3,
      activeDeadlineSeconds: 1800,
      template: {
        metadata: { labels },
        spec: pod({
          restartPolicy: 'Never',
          containers: [
            container(
              camel(app),
              {
                name: 'migration',
                args: ['dist/bundle/migrate.js'],
                env: [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: owner } }],
                volumeMounts: [{ name: 'temporary', mountPath: '/tmp' }, DATABASE_CA.mount],
              },
              { cpu: '50m', memory: '256Mi' },
            ),
          ],
          volumes: [{ name: 'temporary', emptyDir: {} }, DATABASE_CA.volume],
        }),
      },
    },
  };
}
