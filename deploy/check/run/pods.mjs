// Turns the objects of an overlay into what podman plays on one machine. All else of them stays as the cluster gets it: programs, variables,
// Secrets, volumes, memory, users and rights.
import { stringify } from 'yaml';
import { ADDRESSES } from './addresses.mjs';

/** Variables that this machine sets, as an operator would: the bot of the quickstart listens here. */
const settingsOf = (app, botOrigin) => ({
  ...(ADDRESSES[app] && app !== 'simulator' ? { HOST: ADDRESSES[app] } : {}),
  ...(['api-gateway', 'webhook-dispatcher'].includes(app) ? { WEBHOOK_ALLOWED_ORIGINS: botOrigin } : {}),
});

/** Writes what podman plays of these objects: pods and their claims. Services, policies, budgets and scalers are a cluster's alone. */
export function playText(objects, botOrigin) {
  return objects
    .flatMap((object) => {
      if (['Deployment', 'Job'].includes(object.kind)) return [podOf(object, botOrigin)];
      return object.kind === 'PersistentVolumeClaim' ? [claimFor(object)] : [];
    })
    .map((object) => stringify(object))
    .join('---\n');
}

/** Makes the pod of a Deployment or a Job. Ports are not mapped in a network that all share; probes are asked by the check itself, because podman would look for curl in the image. */
function podOf({ metadata, spec }, botOrigin) {
  const { metadata: labelled, spec: pod } = spec.template;
  const [{ ports, startupProbe, livenessProbe, readinessProbe, ...container }] = pod.containers;
  const set = Object.entries(settingsOf(metadata.name, botOrigin));
  // A Secret that may be missing is missing here, which podman takes amiss for a volume.
  const volumes = pod.volumes.filter(({ secret }) => !secret?.optional);
  const played = {
    ...container,
    image: `localhost/${container.image}`,
    imagePullPolicy: 'Never',
    env: [
      ...container.env.filter(({ name }) => !set.some(([one]) => one === name)),
      ...set.map(([name, value]) => ({ name, value })),
    ],
    volumeMounts: container.volumeMounts.filter(({ name }) => volumes.some((volume) => volume.name === name)),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...labelled, name: metadata.name },
    spec: { ...pod, containers: [played], volumes },
  };
}

/** A cluster gives a volume to the group of the pod (`fsGroup`); podman is told by the claim. */
function claimFor({ metadata, ...claim }) {
  const annotations = { 'volume.podman.io/uid': '10001', 'volume.podman.io/gid': '10001' };
  return { ...claim, metadata: { ...metadata, annotations } };
}

/** Names of a pod and its container, as podman makes them, and the time that it has to end. */
export const containerOf = ({ metadata: { name }, spec }) => {
  const { containers, terminationGracePeriodSeconds: graceSeconds } = spec.template.spec;
  return { pod: name, container: `${name}-${containers[0].name}`, graceSeconds };
};
