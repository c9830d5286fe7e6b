// Rules for the Deployments of our programs: they are what apps/<app>/runtime.json and docs/configuration.md say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  graceOf,
  ROOT,
  runtimeOf,
  SIMULATOR_LLM_PORT,
  SIMULATOR_MEDIA_PORT,
  variablesOf,
} from '../source/services.mjs';
import { sentences } from './pods.mjs';

const POD = ['spec', 'template', 'spec'];
const CONTAINER = [...POD, 'containers', 0];
const OPS_SERVER = 'libs/service/src/start/ops-server.ts';
const opsPaths = [...readFileSync(join(ROOT, OPS_SERVER), 'utf8').matchAll(/'(\/[a-z/]+)': /g)].map(
  ([, path]) => path,
);

/** Lists what is wrong with the Deployments, each of which is named after its app. */
export function wrongPrograms(objects) {
  const isScaled = ({ metadata }) =>
    objects.some(
      ({ object }) =>
        object.kind === 'HorizontalPodAutoscaler' && object.spec.scaleTargetRef.name === metadata.name,
    );
  return objects
    .filter(({ object }) => object.kind === 'Deployment')
    .flatMap((one) => {
      const app = one.object.metadata.name;
      const known = { app, runtime: runtimeOf(app), variables: variablesOf(app) };
      return [
        ...wrongLife(one, known, isScaled(one.object)),
        ...wrongPorts(one, known),
        ...wrongProbes(one, known),
        ...wrongVariables(one, known),
      ];
    });
}

const containerOf = ({ object }) => object.spec.template.spec.containers[0];
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function wrongLife(one, { app, runtime }, isScaled) {
  const { at, object } = one;
  const { replicas, strategy, template } = object.spec;
  const { env = [], args } = containerOf(one);
  const grace = graceOf(app, env.find(({ name }) => name === 'PRE_STOP_MS')?.value);
  const given = template.spec.terminationGracePeriodSeconds ?? 30;
  const wanted = [...runtime.nodeFlags, 'dist/bundle/main.js'];
  return sentences(
    [!isScaled && !(replicas > 0), at('spec', 'replicas'), `${app} has no replica, and no autoscaler.`],
    [
      isScaled && replicas !== undefined,
      at('spec', 'replicas'),
      `${app} has a number of replicas beside its autoscaler.`,
    ],
    [
      given < grace,
      at(...POD, 'terminationGracePeriodSeconds'),
      `${app} is killed after ${given} s, and may take ${grace} s to end (graceSeconds of its runtime.json, and PRE_STOP_MS).`,
    ],
    [
      strategy?.type === 'RollingUpdate' && strategy.rollingUpdate?.maxUnavailable !== 0,
      at('spec', 'strategy', 'rollingUpdate', 'maxUnavailable'),
      `pods of ${app} end before new ones are ready.`,
    ],
    [
      !same(args, wanted),
      at(...CONTAINER, 'args'),
      `${app} is started with other arguments than ${wanted.join(' ')}.`,
    ],
  );
}

function wrongPorts(one, { app, runtime }) {
  const { ports = [] } = containerOf(one);
  const others = app === 'simulator' ? [SIMULATOR_MEDIA_PORT, SIMULATOR_LLM_PORT] : [];
  const wanted = [...Object.values(runtime.ports), ...others];
  return [
    ...ports.flatMap(({ containerPort }, index) =>
      sentences([
        !wanted.includes(containerPort),
        one.at(...CONTAINER, 'ports', index, 'containerPort'),
        `${app} does not listen on ${containerPort}: apps/${app}/runtime.json has ${wanted.join(', ')}.`,
      ]),
    ),
    ...wanted.flatMap((port) =>
      sentences([
        !ports.some(({ containerPort }) => containerPort === port),
        one.at(...CONTAINER, 'ports'),
        `${app} has no port ${port}, which apps/${app}/runtime.json has.`,
      ]),
    ),
  ];
}

function wrongProbes(one, { app, runtime }) {
  const container = containerOf(one);
  return ['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((kind) => {
    const probe = container[kind];
    const at = (...path) => one.at(...CONTAINER, kind, ...path);
    if (!probe) return [`${at()}: ${app} has no ${kind}.`];
    if (!runtime.ports.OPS_PORT) return [];
    const path = probe.httpGet?.path;
    const wanted = kind === 'readinessProbe' ? '/health/ready' : '/health/live';
    const port = container.ports?.find(({ name }) => name === probe.httpGet?.port)?.containerPort;
    return sentences(
      [
        !opsPaths.includes(path),
        at('httpGet', 'path'),
        `the ${kind} of ${app} asks for ${path}, which ${OPS_SERVER} does not answer.`,
      ],
      [
        opsPaths.includes(path) && path !== wanted,
        at('httpGet', 'path'),
        `the ${kind} of ${app} asks for ${path} and not for ${wanted}: a blip of the database must restart nobody, and whoever is not ready gets no requests.`,
      ],
      [
        port !== runtime.ports.OPS_PORT,
        at('httpGet', 'port'),
        `the ${kind} of ${app} does not ask OPS_PORT, ${runtime.ports.OPS_PORT}.`,
      ],
    );
  });
}

function wrongVariables(one, { app, runtime, variables }) {
  const { env = [], volumeMounts = [] } = containerOf(one);
  const names = env.map(({ name }) => name);
  const at = (...path) => one.at(...CONTAINER, 'env', ...path);
  const given = [...runtime.needs, ...Object.keys(runtime.folders)];
  const isSecret = (name) => variables.some((variable) => variable.secret && variable.name === name);
  return [
    ...given
      .filter((name) => !names.includes(name))
      .map(
        (name) => `${at()}: ${app} is not given ${name}, which apps/${app}/runtime.json says that it needs.`,
      ),
    ...env.flatMap(({ name, value }, index) =>
      sentences(
        [
          !variables.some((variable) => variable.name === name),
          at(index, 'name'),
          `${app} has no variable ${name} (docs/configuration.md).`,
        ],
        [names.indexOf(name) !== index, at(index, 'name'), `${app} is given ${name} twice.`],
        [
          value !== undefined && isSecret(name),
          at(index, 'value'),
          `${name} of ${app} is secret and stands in the manifest.`,
        ],
      ),
    ),
    ...Object.entries(runtime.folders).flatMap(([name, folder]) =>
      sentences([
        !volumeMounts.some(({ mountPath }) => mountPath === folder),
        one.at(...CONTAINER, 'volumeMounts'),
        `${app} writes to ${folder} (${name}), where no volume is mounted.`,
      ]),
    ),
  ];
}
