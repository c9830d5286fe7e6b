/** Processes whose versions change. The order is that of a message in: who reads an event or answers a request stands before who writes or asks it. */
export const PROCESSES = [
  'limits',
  'billing',
  'webhook-dispatcher',
  'session-worker',
  'session-worker-2',
  'api-gateway',
] as const;

export type ProcessName = (typeof PROCESSES)[number];

/** A process is replaced by one of this version or of the one before. */
export interface Step {
  process: ProcessName;
  isNew: boolean;
}

/** Steps that begin with all processes of the version before, and end so. */
export interface Round {
  name: string;
  steps: Step[];
}

const forward = (process: ProcessName): Step => ({ process, isNew: true });
const back = (process: ProcessName): Step => ({ process, isNew: false });
const thereAndBack = (processes: readonly ProcessName[]): Step[] => [
  ...processes.map(forward),
  ...processes.map(back),
];

/** Names the service of a process: `session-worker-2` is one of `session-worker`. */
export const serviceOf = (process: ProcessName): string => process.replace(/-\d+$/, '');

const SERVICES = [...new Set(PROCESSES.map(serviceOf))];

/** The rounds of the drill: each service alone, then all of them in either order. */
export const ROUNDS: readonly Round[] = [
  {
    name: 'alone',
    steps: SERVICES.flatMap((service) => thereAndBack(PROCESSES.filter((one) => serviceOf(one) === service))),
  },
  { name: 'readers first', steps: thereAndBack(PROCESSES) },
  { name: 'writers first', steps: thereAndBack(PROCESSES.toReversed()) },
];
