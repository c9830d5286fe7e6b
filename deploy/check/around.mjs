// Rules for what stands around the pods: who selects whom, who may talk to whom, and what is told to nobody.
import { variablesOf } from '../source/services.mjs';
import { sentences } from './pods.mjs';

export const SECRET_TEXT =
  /-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^\s:/@]+:[^\s@]+@|\b(sk|rk)_(live|test)_|\bwhsec_|^[A-Za-z0-9+/]{43}=$|^[0-9a-f]{32,}$/;

const ofKind = (objects, kind) => objects.filter(({ object }) => object.kind === kind);
const selects = (selector = {}, labels) =>
  Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
const labelsOf = ({ object }) => object.spec.template.metadata.labels;

/** Lists what is wrong with selectors, budgets of disruption and Services. */
export function wrongSelectors(objects) {
  const deployments = ofKind(objects, 'Deployment');
  const portsOf = (found) => found.object.spec.template.spec.containers.flatMap(({ ports = [] }) => ports);
  return [
    ...deployments.flatMap((one) => {
      const { name } = one.object.metadata;
      const budgets = ofKind(objects, 'PodDisruptionBudget');
      return sentences(
        [
          !selects(one.object.spec.selector, labelsOf(one)),
          one.at('spec', 'selector', 'matchLabels'),
          `the selector of ${name} does not match the labels of its pods.`,
        ],
        [
          !budgets.some(({ object }) => selects(object.spec.selector, labelsOf(one))),
          one.at('metadata', 'name'),
          `${name} has no PodDisruptionBudget: a drain of nodes may end all of its pods.`,
        ],
      );
    }),
    ...ofKind(objects, 'PodDisruptionBudget').flatMap(({ object, at }) =>
      sentences([
        !deployments.some((one) => selects(object.spec.selector, labelsOf(one))),
        at('spec', 'selector'),
        `the PodDisruptionBudget ${object.metadata.name} selects no pod.`,
      ]),
    ),
    ...ofKind(objects, 'Service').flatMap(({ object, at }) => {
      const found = deployments.find((one) => selects({ matchLabels: object.spec.selector }, labelsOf(one)));
      if (!found) return [`${at('spec', 'selector')}: the Service ${object.metadata.name} selects no pod.`];
      return object.spec.ports.flatMap(({ targetPort }, index) =>
        sentences([
          !portsOf(found).some(({ name, containerPort }) => [name, containerPort].includes(targetPort)),
          at('spec', 'ports', index, 'targetPort'),
          `the Service ${object.metadata.name} leads to a port ${targetPort} that its pods do not have.`,
        ]),
      );
    }),
  ];
}

/** Ports that a program needs of the servers that its variables name. */
const SERVERS = { DATABASE_URL: 5432, NATS_URL: 4222, SANDBOX_CONTROL_URL: 7071, SANDBOX_PLATFORM_URL: 7070 };

/** Lists ports that are in use and that no NetworkPolicy lets through, and pods that no policy shuts. */
export function wrongNetwork(objects) {
  const policies = ofKind(objects, 'NetworkPolicy');
  return objects
    .filter(({ object }) => object.spec?.template?.spec)
    .flatMap((one) => {
      const { name } = one.object.metadata;
      const mine = policies.filter(({ object }) => selects(object.spec.podSelector, labelsOf(one)));
      const own = mine.find(({ object }) => object.metadata.name === name) ?? one;
      const open = (way) =>
        mine
          .flatMap(({ object }) => object.spec[way] ?? [])
          .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
      const [{ ports = [], env = [] }] = one.object.spec.template.spec.containers;
      const shut = (way) =>
        mine.some(({ object }) => object.spec.policyTypes.includes(way) && !object.spec[way.toLowerCase()]);
      return [
        ...['Ingress', 'Egress'].flatMap((way) =>
          sentences([
            !shut(way),
            one.at('metadata', 'name'),
            `no NetworkPolicy denies ${name} all ${way} that is not named.`,
          ]),
        ),
        ...ports
          .filter(({ containerPort }) => !open('ingress').includes(containerPort))
          .map(
            ({ containerPort }) =>
              `${own.at('spec', 'ingress')}: no NetworkPolicy lets anybody reach ${name} on ${containerPort}, which it listens on.`,
          ),
        ...env
          .filter(({ name: variable }) => SERVERS[variable] && !open('egress').includes(SERVERS[variable]))
          .map(
            ({ name: variable }) =>
              `${own.at('spec', 'egress')}: no NetworkPolicy lets ${name} reach ${SERVERS[variable]}, which ${variable} leads to.`,
          ),
      ];
    });
}

/** Lists secrets that stand in manifests: in a ConfigMap, as the plain value of a variable, or as a Secret that is checked in. */
export function toldSecrets(objects, apps) {
  const secret = new Set(
    apps.flatMap((app) => variablesOf(app).filter((one) => one.secret)).map(({ name }) => name),
  );
  return objects.flatMap(({ object, at }) => {
    const env = object.spec?.template?.spec?.containers?.[0].env ?? [];
    return [
      ...(object.kind === 'Secret'
        ? [`${at('kind')}: the Secret ${object.metadata.name} is checked in.`]
        : []),
      ...Object.entries(object.kind === 'ConfigMap' ? object.data : {}).flatMap(([key, text]) =>
        sentences([
          secret.has(key) || SECRET_TEXT.test(text),
          at('data', key),
          `${key} is secret and stands in the ConfigMap ${object.metadata.name}.`,
        ]),
      ),
      ...env.flatMap(({ name, value = '' }, index) =>
        sentences([
          SECRET_TEXT.test(value),
          at('spec', 'template', 'spec', 'containers', 0, 'env', index, 'value'),
          `the value of ${name} looks like a secret.`,
        ]),
      ),
    ];
  });
}

/** Lists Secrets that pods read and that the page does not name, each where it is met first. */
export function undocumentedSecrets(objects, page, text) {
  const places = new Map();
  for (const { object, at } of objects)
    for (const [index, { valueFrom }] of (object.spec?.template?.spec?.containers?.[0].env ?? []).entries()) {
      const name = valueFrom?.secretKeyRef?.name;
      if (name && !places.has(name))
        places.set(name, at('spec', 'template', 'spec', 'containers', 0, 'env', index));
    }
  return [...places]
    .filter(([name]) => !text.includes(`\`${name}\``))
    .map(([name, place]) => `${place}: the Secret ${name} is not in ${page}.`);
}
