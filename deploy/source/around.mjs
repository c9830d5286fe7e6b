// The objects around the pods: services, budgets of disruption, the autoscaler and the route of the API, the volume of the media.
import { labelsOf } from './pods.mjs';
import { SIMULATOR_LLM_PORT, SIMULATOR_MEDIA_PORT } from './services.mjs';
import { value, when } from './tree.mjs';

const object = (apiVersion, kind, name, rest) => ({ apiVersion, kind, metadata: { name }, ...rest });

/** Lets a node be drained one pod at a time. */
export const budget = (app) =>
  object('policy/v1', 'PodDisruptionBudget', app, {
    spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(app) } },
  });

const service = (app, ports) =>
  object('v1', 'Service', app, {
    spec: {
      selector: labelsOf(app),
      ports: ports.map(([name, port]) => ({ name, port, targetPort: name })),
    },
  });

/** Address of the API within the cluster. */
export const apiService = () => service('api-gateway', [['http', 80]]);

/** Addresses of the simulator, whose ports clients are told as they are. */
export const simulatorService = ({ ports }) =>
  service('simulator', [
    ['platform', ports.SIMULATOR_PORT],
    ['control', ports.SIMULATOR_CONTROL_PORT],
    ['media', SIMULATOR_MEDIA_PORT],
    ['llm', SIMULATOR_LLM_PORT],
  ]);

/** Scales the gateway by the processor time that it uses of what is reserved; slowly down, because event streams end with a pod. */
export const autoscaler = () =>
  when(
    'autoscaling.enabled',
    object('autoscaling/v2', 'HorizontalPodAutoscaler', 'api-gateway', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api-gateway' },
        minReplicas: value('autoscaling.minReplicas'),
        maxReplicas: value('autoscaling.maxReplicas'),
        metrics: [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              target: { type: 'Utilization', averageUtilization: value('autoscaling.cpuPercent') },
            },
          },
        ],
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 600,
            policies: [{ type: 'Pods', value: 1, periodSeconds: 120 }],
          },
        },
      },
    }),
  );

/** Leads customers to the API by a Gateway that stands already. Event streams stay open for hours: no time limit. */
export const route = () =>
  when(
    'route.host',
    object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'api-gateway', {
      spec: {
        parentRefs: [{ name: value('route.gateway'), namespace: value('route.gatewayNamespace') }],
        hostnames: [value('route.host')],
        rules: [{ backendRefs: [{ name: 'api-gateway', port: 80 }], timeouts: { request: '0s' } }],
      },
    }),
  );

/** The folder that gateway, workers and assistants share where no S3 keeps the media. */
export const mediaClaim = () =>
  when(
    'media.claim.accessMode',
    object('v1', 'PersistentVolumeClaim', 'media', {
      spec: {
        accessModes: [value('media.claim.accessMode')],
        resources: { requests: { storage: value('media.claim.size') } },
      },
    }),
  );
