// Rules for docker/compose.yaml and what may be laid over it: programs are what apps/<app>/runtime.json and docs/configuration.md say.
import { isDeepStrictEqual } from 'node:util';
import { LineCounter, parseDocument } from 'yaml';
import { graceOf, imageOf, runtimeOf, services, variablesOf } from '../source/services.mjs';
import { SECRET_TEXT } from './around.mjs';
import { sentences } from './pods.mjs';

/** PostgreSQL has versions of two numbers. */
const PINNED = /:\d+\.\d+(\.\d+)?(-[\w.]+)?$/;
export const COMPOSE = ['docker/compose.yaml', 'docker/compose.sandbox.yaml'];

/** Lists what breaks a rule, as `<file>:<line>: <sentence>`. @param files texts by path. */
export function wrongCompose(files) {
  const [main, sandbox] = COMPOSE.map((file) => read(file, files[file]));
  const { has, at } = main;
  return [
    ...services.flatMap(({ app }) => [
      ...(has(app) ? [...wrongService(main, app), ...wrongWay(main, app)] : [`${at()}: ${app} is missing.`]),
      ...wrongMigration(main, app),
    ]),
    ...wrongService(sandbox, 'simulator'),
    ...[main, sandbox].flatMap((one) => [
      ...unknownVariables(one),
      ...wrongContainers(one),
      ...toldSecrets(one, files),
    ]),
  ];
}

/** Reads a file. `at(service)` is the line of a service, merged parts included. */
function read(file, text) {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, merge: true });
  const [error] = document.errors;
  if (error) throw new Error(`${file}:${error.linePos[0].line}: ${error.message.split('\n')[0]}`);
  const { items } = document.get('services');
  const at = (name) => {
    const key = items.find((item) => item.key.value === name)?.key;
    return `${file}:${key ? counter.linePos(key.range[0]).line : 1}`;
  };
  const found = document.toJS().services;
  return { file, services: found, at, has: (name) => name in found };
}

function wrongService({ services: all, at }, app) {
  const { image, command = ['dist/bundle/main.js'], environment = {}, volumes = [], ...service } = all[app];
  const runtime = runtimeOf(app);
  const version = imageOf(app).split(':')[1];
  const grace = graceOf(app, environment.PRE_STOP_MS);
  const targets = volumes.map((volume) => volume.target ?? volume.split(':')[1]);
  const health = JSON.stringify(service.healthcheck?.test ?? '');
  const given = (name) => Boolean(environment[name] ?? environment[`${name}_FILE`]);
  const isSecret = (name) => variablesOf(app).some((one) => one.secret && one.name === name);
  return sentences(
    [image !== imageOf(app), at(app), `the image of ${app} is not ${imageOf(app)}.`],
    [
      !isDeepStrictEqual({ ...service.build?.args }, { APP: app, VERSION: version }),
      at(app),
      `${app} is built with other arguments than APP ${app} and VERSION ${version}.`,
    ],
    [
      !isDeepStrictEqual(command, [...runtime.nodeFlags, 'dist/bundle/main.js']),
      at(app),
      `${app} is started with other arguments than apps/${app}/runtime.json has.`,
    ],
    [
      !(Number.parseInt(service.stop_grace_period, 10) >= grace),
      at(app),
      `${app} is killed before the ${grace} s that it may take to end.`,
    ],
    [
      Boolean(runtime.ports.OPS_PORT) && !health.includes(`:${runtime.ports.OPS_PORT}/health/ready`),
      at(app),
      `the health check of ${app} does not ask OPS_PORT whether it is ready.`,
    ],
    ...[...runtime.needs, ...Object.keys(runtime.folders)].map((name) => [
      !given(name),
      at(app),
      `${app} is not given ${name}, which apps/${app}/runtime.json says that it needs.`,
    ]),
    ...Object.keys(environment).map((name) => [
      isSecret(name) && !/^\$\{/.test(environment[name]),
      at(app),
      `${name} of ${app} is secret and stands in the file.`,
    ]),
    ...Object.values(runtime.folders).map((folder) => [
      !targets.includes(folder),
      at(app),
      `${app} writes to ${folder}, where no volume is mounted.`,
    ]),
  );
}

/** A service that calls others than the database and NATS has a way out, and no other has one. */
function wrongWay({ services: all, at }, app) {
  const { networks = [] } = all[app];
  const isOut = (Array.isArray(networks) ? networks : Object.keys(networks)).includes('outer');
  const isCaller = services.some((one) => one.app === app && one.exits.length > 0);
  return sentences(
    [isCaller && !isOut, at(app), `${app} calls others, and is not on the network outer.`],
    [!isCaller && isOut, at(app), `${app} calls nobody, and is on the network outer.`],
  );
}

/** The schema of a service is brought up to date before its login is made, and that before the service starts. */
function wrongMigration({ services: all, at }, app) {
  const name = `${app}-migration`;
  const isDone = (who, what) => all[who]?.depends_on?.[what]?.condition === 'service_completed_successfully';
  return sentences(
    [all[name]?.image !== imageOf(app), at(name), `${name} is missing, or of another image than ${app}.`],
    [!isDone('logins', name), at('logins'), `logins do not wait for ${name}.`],
    [Boolean(all[app]) && !isDone(app, 'logins'), at(app), `${app} does not wait for logins.`],
  );
}

const APPS = [...services.map(({ app }) => app), 'simulator'];

function unknownVariables({ services: all, at }) {
  return APPS.filter((app) => all[app]).flatMap((app) => {
    const known = variablesOf(app).flatMap(({ name }) => [name, `${name}_FILE`]);
    return Object.keys(all[app].environment ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => `${at(app)}: ${app} has no variable ${name} (docs/configuration.md).`);
  });
}

function wrongContainers({ services: all, at }) {
  return Object.entries(all).flatMap(([name, { image, ...service }]) => {
    if (!image) return []; // a part that is laid over the other file
    const isOurs = image.startsWith('svc/');
    return sentences(
      [!PINNED.test(image), at(name), `the image ${image} of ${name} is not pinned to a version.`],
      [
        !service.security_opt?.includes('no-new-privileges:true'),
        at(name),
        `${name} may gain rights by a program that it runs.`,
      ],
      [isOurs && service.read_only !== true, at(name), `${name} may write to its root.`],
      [isOurs && !service.cap_drop?.includes('ALL'), at(name), `${name} does not drop all capabilities.`],
    );
  });
}

function toldSecrets({ file }, files) {
  return files[file]
    .split('\n')
    .flatMap((line, index) =>
      SECRET_TEXT.test(line) ? [`${file}:${index + 1}: a value that looks like a secret.`] : [],
    );
}
