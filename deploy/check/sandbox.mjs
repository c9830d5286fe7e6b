// Comparison of two overlays: `sandbox` is `small` and the simulator, so that what was seen of one with real pods holds for the other.
import { isDeepStrictEqual } from 'node:util';
import { readFolder } from './read.mjs';

const SIMULATOR = 'simulator';
const identity = ({ kind, metadata }) => `${kind} ${metadata.name}`;
const byIdentity = (objects) => new Map(objects.map((one) => [identity(one.object), one]));

/** Lists objects that the overlays do not have alike, as `<file>:<line>: <sentence>`. @param files texts by path. */
export function differencesOfSandbox(files) {
  const small = byIdentity(readFolder('deploy/kustomize/small', files));
  const sandbox = byIdentity(readFolder('deploy/kustomize/sandbox', files));
  return [
    ...missing(small, sandbox, 'sandbox'),
    ...missing(sandbox, small, 'small').filter(({ name }) => name !== SIMULATOR),
  ]
    .map(({ sentence }) => sentence)
    .concat([...sandbox].flatMap(([name, one]) => difference(name, small.get(name), one)));
}

function missing(from, to, overlay) {
  return [...from]
    .filter(([name]) => !to.has(name))
    .map(([name, { object, at }]) => ({
      name: object.metadata.name,
      sentence: `${at('metadata', 'name')}: ${overlay} has no ${name}.`,
    }));
}

function difference(name, one, other) {
  if (!one || isDeepStrictEqual(one.object, withoutSimulator(other.object))) return [];
  return [`${other.at('metadata', 'name')}: ${name} differs from that of small in more than the simulator.`];
}

/** Leaves out of a workload what it knows of the simulator: variables of the sandbox, and the way to its pods. */
function withoutSimulator({ spec, ...object }) {
  if (object.kind === 'NetworkPolicy' && spec.egress)
    return { ...object, spec: { ...spec, egress: spec.egress.filter((rule) => !leadsToSimulator(rule)) } };
  if (object.kind === 'Deployment') {
    const { template } = spec;
    const containers = template.spec.containers.map(withoutSandbox);
    return {
      ...object,
      spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } },
    };
  }
  return { ...object, spec };
}

const withoutSandbox = (container) =>
  container.env
    ? { ...container, env: container.env.filter(({ name }) => !name.startsWith('SANDBOX_')) }
    : container;

const leadsToSimulator = ({ to = [] }) =>
  to.length > 0 &&
  to.every(
    ({ podSelector, ...others }) =>
      podSelector?.matchLabels?.['app.kubernetes.io/name'] === SIMULATOR && Object.keys(others).length === 0,
  );
