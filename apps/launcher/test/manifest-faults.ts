/** Function of the source of the manifests, which has no types. */
const { imageOf } = (await import('../../../deploy/source/services.mjs' as string)) as {
  imageOf(app: string): string;
};
/** Image of `limits` in the version that it has now. */
const LIMITS = imageOf('limits');

/** One fault in deploy/kustomize/production: `from` becomes `to`, and `sentence` names the line that has `named`. */
export interface Fault {
  fault: string;
  file: string;
  from: string;
  to: string;
  named: string;
  sentence: string;
}

const inPrograms: Fault[] = [
  {
    fault: 'a probe of a path that nobody answers',
    file: 'limits',
    from: 'path: /health/ready',
    to: 'path: /ready',
    named: 'path: /ready',
    sentence:
      'the readinessProbe of limits asks for /ready, which libs/service/src/start/ops-server.ts does not answer.',
  },
  {
    fault: 'a life probe that depends on the database',
    file: 'session-worker',
    from: 'livenessProbe:\n            httpGet:\n              path: /health/live',
    to: 'livenessProbe:\n            httpGet:\n              path: /health/ready',
    named: 'path: /health/ready',
    sentence:
      'the livenessProbe of session-worker asks for /health/ready and not for /health/live: a blip of the database must restart nobody, and whoever is not ready gets no requests.',
  },
  {
    fault: 'a variable that is missing',
    file: 'billing',
    from: '            - name: NATS_USER\n              value: billing\n',
    to: '',
    named: '          env:',
    sentence: 'billing is not given NATS_USER, which apps/billing/runtime.json says that it needs.',
  },
  {
    fault: 'a variable that nobody reads',
    file: 'billing',
    from: 'NATS_STREAM_REPLICAS',
    to: 'NATS_STREAMS_REPLICAS',
    named: 'NATS_STREAMS_REPLICAS',
    sentence: 'billing has no variable NATS_STREAMS_REPLICAS (docs/configuration.md).',
  },
  {
    fault: 'a worker with no replica',
    file: 'session-worker',
    from: 'replicas: 3',
    to: 'replicas: 0',
    named: 'replicas: 0',
    sentence: 'session-worker has no replica, and no autoscaler.',
  },
  {
    fault: 'a number of replicas that fights with the autoscaler',
    file: 'api-gateway',
    from: 'revisionHistoryLimit: 5',
    to: 'replicas: 2',
    named: 'replicas: 2',
    sentence: 'api-gateway has a number of replicas beside its autoscaler.',
  },
  {
    fault: 'a time to end that is shorter than the drain',
    file: 'session-worker',
    from: 'terminationGracePeriodSeconds: 90',
    to: 'terminationGracePeriodSeconds: 60',
    named: 'terminationGracePeriodSeconds',
    sentence:
      'session-worker is killed after 60 s, and may take 90 s to end (graceSeconds of its runtime.json, and PRE_STOP_MS).',
  },
  {
    fault: 'a time to end without the time that the gateway still answers',
    file: 'api-gateway',
    from: 'terminationGracePeriodSeconds: 35',
    to: 'terminationGracePeriodSeconds: 30',
    named: 'terminationGracePeriodSeconds',
    sentence:
      'api-gateway is killed after 30 s, and may take 35 s to end (graceSeconds of its runtime.json, and PRE_STOP_MS).',
  },
  {
    fault: 'workers that end before others are there',
    file: 'session-worker',
    from: 'maxUnavailable: 0',
    to: 'maxUnavailable: 1',
    named: 'maxUnavailable: 1',
    sentence: 'pods of session-worker end before new ones are ready.',
  },
  {
    fault: 'a port that the program does not have',
    file: 'limits',
    from: 'containerPort: 8081',
    to: 'containerPort: 9090',
    named: 'containerPort: 9090',
    sentence: 'limits does not listen on 9090: apps/limits/runtime.json has 8081.',
  },
  {
    fault: 'other flags of Node.js than were measured',
    file: 'webhook-dispatcher',
    from: '            - "--initial-old-space-size=256"\n',
    to: '',
    named: 'args:',
    sentence:
      'webhook-dispatcher is started with other arguments than --max-semi-space-size=64 --initial-old-space-size=256 dist/bundle/main.js.',
  },
  {
    fault: 'a folder without a volume',
    file: 'session-worker',
    from: '            - name: media\n              mountPath: /var/lib/svc/media\n',
    to: '',
    named: 'volumeMounts:',
    sentence: 'session-worker writes to /var/lib/svc/media (MEDIA_DIR), where no volume is mounted.',
  },
];

const inPods: Fault[] = [
  {
    fault: 'a key that Kubernetes does not know',
    file: 'limits',
    from: `- image: ${LIMITS}`,
    to: `- imge: ${LIMITS}`,
    named: '- imge:',
    sentence: "'imge' does not exist in type 'Container'.",
  },
  {
    fault: 'an image without a version',
    file: 'limits',
    from: `image: ${LIMITS}`,
    to: 'image: svc/limits:latest',
    named: ':latest',
    sentence: 'the image svc/limits:latest of limits is not pinned to a version x.y.z or a digest.',
  },
  {
    fault: 'a pod that is root',
    file: 'limits',
    from: 'runAsNonRoot: true',
    to: 'runAsNonRoot: false',
    named: 'runAsNonRoot: false',
    sentence: 'limits may run as root.',
  },
  {
    fault: 'a container that writes where it likes',
    file: 'limits',
    from: 'readOnlyRootFilesystem: true',
    to: 'readOnlyRootFilesystem: false',
    named: 'readOnlyRootFilesystem: false',
    sentence: 'limits may write to its root file system.',
  },
  {
    fault: 'a container without a limit of memory',
    file: 'limits',
    from: '            limits:\n              memory: "384Mi"\n',
    to: '',
    named: 'resources:',
    sentence: 'limits has no limit of memory.',
  },
];

const around: Fault[] = [
  {
    fault: 'a selector that matches no pod',
    file: 'limits',
    from: 'matchLabels:\n      app.kubernetes.io/name: limits\n',
    to: 'matchLabels:\n      app.kubernetes.io/name: limit\n',
    named: '    matchLabels:',
    sentence: 'the selector of limits does not match the labels of its pods.',
  },
  {
    fault: 'a budget of disruption that selects no pod',
    file: 'limits',
    from: 'maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: limits\n',
    to: 'maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: limit\n',
    named: '  selector:',
    sentence: 'the PodDisruptionBudget limits selects no pod.',
  },
  {
    fault: 'a Service that leads nowhere',
    file: 'api-gateway',
    from: 'targetPort: http',
    to: 'targetPort: https',
    named: 'targetPort: https',
    sentence: 'the Service api-gateway leads to a port https that its pods do not have.',
  },
  {
    fault: 'a port that no network policy lets in',
    file: 'limits',
    from: '          port: 8081\n',
    to: '          port: 8082\n',
    named: '  ingress:',
    sentence: 'no NetworkPolicy lets anybody reach limits on 8081, which it listens on.',
  },
  {
    fault: 'a server that no network policy lets out to',
    file: 'limits',
    from: 'port: 4222\n',
    to: 'port: 4223\n',
    named: '  egress:',
    sentence: 'no NetworkPolicy lets limits reach 4222, which NATS_URL leads to.',
  },
  {
    fault: 'a secret in a ConfigMap',
    file: 'network',
    from: '---\n',
    to: '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: more\ndata:\n  KEY_PEPPER: abc\n---\n',
    named: 'KEY_PEPPER: abc',
    sentence: 'KEY_PEPPER is secret and stands in the ConfigMap more.',
  },
  {
    fault: 'a password in a plain variable',
    file: 'billing',
    from: 'value: tls://nats:4222',
    to: 'value: tls://billing:hunter2@nats:4222',
    named: 'hunter2',
    sentence: 'the value of NATS_URL looks like a secret.',
  },
];

/** All of them. */
export const FAULTS = [...inPrograms, ...inPods, ...around];
