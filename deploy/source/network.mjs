// The ways between pods, and to the world: none, but those that are named here.
import { EVERY_POD, labelsOf } from './pods.mjs';
import { SIMULATOR_LLM_PORT, SIMULATOR_MEDIA_PORT } from './services.mjs';
import { each, value, when } from './tree.mjs';

const tcp = (...ports) => ports.map((port) => ({ protocol: 'TCP', port }));
const policy = (name, podSelector, rest) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: { podSelector, ...rest },
});
const namespace = (name) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
const podsOf = (app) => ({ podSelector: { matchLabels: labelsOf(app) } });

/** Everything but private networks, and the addresses at which clouds tell machines their secrets. */
const PUBLIC = [
  {
    ipBlock: {
      cidr: '0.0.0.0/0',
      except: [
        '10.0.0.0/8',
        '100.64.0.0/10',
        '127.0.0.0/8',
        '169.254.0.0/16',
        '172.16.0.0/12',
        '192.168.0.0/16',
      ],
    },
  },
  { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
];
const EXITS = { public: { to: PUBLIC }, https: { to: PUBLIC, ports: tcp(443) } };

/** PostgreSQL of the operator CloudNativePG, in whichever namespace, or at the addresses that are given. */
const DATABASE = {
  to: [
    {
      namespaceSelector: {},
      podSelector: { matchExpressions: [{ key: 'cnpg.io/cluster', operator: 'Exists' }] },
    },
    each('network.databaseAddresses', (_, cidr) => ({ ipBlock: { cidr } })),
  ],
  ports: tcp(5432),
};
const NATS = {
  to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'nats' } } }],
  ports: tcp(4222),
};

/** Rules for every pod: nothing goes in or out, but questions to the names of the cluster. */
export const rulesForAll = () => [
  policy('default-deny', { matchLabels: EVERY_POD }, { policyTypes: ['Ingress', 'Egress'] }),
  policy(
    'names',
    { matchLabels: EVERY_POD },
    {
      policyTypes: ['Egress'],
      egress: [
        {
          to: [namespace('kube-system'), { ipBlock: { cidr: '169.254.20.10/32' } }],
          ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)],
        },
      ],
    },
  ),
];

/** Rules of one service: its own ways. Everybody may call the API; figures are for those who watch. Probes come from the node itself. */
export function rulesOf({ app, exits, customers, ports, sandbox }) {
  const simulatorPorts = {
    'api-gateway': tcp(7071),
    'session-worker': tcp(7070, SIMULATOR_MEDIA_PORT),
    assistant: tcp(SIMULATOR_LLM_PORT),
  };
  return policy(app, podsOf(app).podSelector, {
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: [namespace(value('network.monitoringNamespace'))], ports: tcp(ports.OPS_PORT) },
      ...(customers ? [{ ports: tcp(ports[customers]) }] : []),
    ],
    egress: [
      DATABASE,
      NATS,
      ...exits.map((exit) => EXITS[exit]),
      ...(sandbox
        ? [when('simulator.enabled', { to: [podsOf('simulator')], ports: simulatorPorts[app] })]
        : []),
    ],
  });
}

/** The simulator calls nobody. Its control API has no password. */
export const rulesOfSimulator = ({ ports }) =>
  policy('simulator', podsOf('simulator').podSelector, {
    policyTypes: ['Ingress'],
    ingress: [
      { from: [podsOf('session-worker')], ports: tcp(ports.SIMULATOR_PORT, SIMULATOR_MEDIA_PORT) },
      { from: [podsOf('api-gateway')], ports: tcp(ports.SIMULATOR_CONTROL_PORT) },
      { from: [podsOf('assistant')], ports: tcp(SIMULATOR_LLM_PORT) },
    ],
  });

/** Migrations talk to the database alone. */
export const rulesOfMigrations = () =>
  policy(
    'migrations',
    { matchLabels: { ...EVERY_POD, 'app.kubernetes.io/component': 'migration' } },
    { policyTypes: ['Egress'], egress: [DATABASE] },
  );
