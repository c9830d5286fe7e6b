// All rules for the manifests below deploy/kustomize, and the comparison of the chart with them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { deployFiles } from '../source/files.mjs';
import { ROOT, services } from '../source/services.mjs';
import { toldSecrets, undocumentedSecrets, wrongNetwork, wrongSelectors } from './around.mjs';
import { overlay, render } from './helm.mjs';
import { wrongPods } from './pods.mjs';
import { wrongPrograms } from './programs.mjs';
import { readFolder, readObjects } from './read.mjs';
import { wrongShapes } from './types.mjs';

export const PAGE = 'deploy/README.md';
const OVERLAYS = ['small', 'production', 'sandbox'];
const MIGRATIONS = 'deploy/kustomize/migrations';
const CHART = 'deploy/helm/messaging-gateway';

const APPS = [...services.map(({ app }) => app), 'simulator'];
const identity = ({ kind, metadata }) => `${kind} ${metadata.name}`;
const byFolder = (files) =>
  [...OVERLAYS.map((name) => `deploy/kustomize/${name}`), MIGRATIONS].map((folder) =>
    readFolder(folder, files),
  );

/** Lists what breaks a rule in the manifests, as `<file>:<line>: <sentence>`. @param files texts by path. */
export function brokenRules(files) {
  const folders = byFolder(files);
  return [
    ...forgottenApps(),
    ...folders.flatMap((objects) => [
      ...wrongPods(objects),
      ...wrongPrograms(objects),
      ...wrongSelectors(objects),
      ...wrongNetwork(objects),
      ...toldSecrets(objects, APPS),
      ...undocumentedSecrets(objects, PAGE, files[PAGE] ?? ''),
      ...missingServices(objects),
    ]),
    ...wrongShapes(folders.flat()),
  ];
}

/** Lists apps that run and that the table of the source does not have. */
function forgottenApps() {
  return readdirSync(join(ROOT, 'apps'))
    .filter((app) => existsSync(join(ROOT, 'apps', app, 'runtime.json')) && !APPS.includes(app))
    .map((app) => `deploy/source/services.mjs:1: ${app} is missing.`);
}

/** Every service is there: as Deployment, or as Job of its migrations. */
function missingServices(objects) {
  const [{ file, object }] = objects;
  const folder = file.slice(0, file.lastIndexOf('/'));
  const suffix = folder === MIGRATIONS ? '-migration' : '';
  const names = objects
    .filter((one) => ['Deployment', 'Job'].includes(one.object.kind))
    .map((one) => one.object.metadata.name);
  return services
    .filter(({ app }) => object && !names.includes(`${app}${suffix}`))
    .map(({ app }) => `${folder}/kustomization.yaml:1: ${app}${suffix} is missing.`);
}

/** Lists generated files that are not what the source says. */
export async function staleFiles(files) {
  const wanted = await deployFiles();
  const generated = (path) => /^deploy\/(kustomize|helm)\//.test(path);
  return [
    ...Object.entries(wanted)
      .filter(([path, text]) => files[path] !== text)
      .map(
        ([path, text]) =>
          `${path}:${firstDifference(text, files[path])}: not what deploy/source says: run "npm run deploy:write".`,
      ),
    ...Object.keys(files)
      .filter((path) => generated(path) && !(path in wanted))
      .map((path) => `${path}:1: deploy/source does not write it: run "npm run deploy:write".`),
  ];
}

function firstDifference(text, found = '') {
  const lines = found.split('\n');
  return text.split('\n').findIndex((line, index) => line !== lines[index]) + 1;
}

/** Renders the chart with the values of an overlay. @returns objects by kind and name, without what only Helm reads. */
export function chartObjects(files, values) {
  const templates = Object.keys(files).filter((path) => path.startsWith(`${CHART}/templates/`));
  return templates.flatMap((path) =>
    readObjects(path, render(files[path], values))
      .filter(({ object }) => object)
      .map(({ object }) => withoutHooks(object)),
  );
}

function withoutHooks(object) {
  const { annotations = {}, ...metadata } = object.metadata;
  const left = Object.entries(annotations).filter(([name]) => !name.startsWith('helm.sh/'));
  return {
    ...object,
    metadata: left.length > 0 ? { ...metadata, annotations: Object.fromEntries(left) } : metadata,
  };
}

/** Lists objects that the chart and an overlay of Kustomize do not have alike. */
export function differencesOfChart(files) {
  const defaults = parse(files[`${CHART}/values.yaml`]);
  const migrations = readFolder(MIGRATIONS, files);
  return OVERLAYS.flatMap((name) => {
    const changes = files[`${CHART}/values-${name}.yaml`];
    const rendered = chartObjects(files, changes ? overlay(defaults, parse(changes)) : defaults);
    const chart = new Map(rendered.map((object) => [identity(object), object]));
    const wanted = [...readFolder(`deploy/kustomize/${name}`, files), ...migrations];
    const known = new Set(wanted.map(({ object }) => identity(object)));
    return [
      ...wanted
        .filter(({ object }) => !isDeepStrictEqual(object, chart.get(identity(object))))
        .map(
          ({ object, at }) =>
            `${at('metadata', 'name')}: the chart has no such ${identity(object)} with the values of ${name}.`,
        ),
      ...[...chart.keys()]
        .filter((one) => !known.has(one))
        .map(
          (one) =>
            `${CHART}/values.yaml:1: the chart has a ${one} with the values of ${name}, and the overlay has none.`,
        ),
    ];
  });
}
