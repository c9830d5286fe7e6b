// Reads `apps/<app>/runtime.json`, the one table of what a program needs at run time (docs/adr/0047-one-table-says-how-a-program-runs.md).
// The build of an app checks it; the launcher, images and manifests go by it.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { configOf } from '../variables.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const hasSchema = new Ajv({ allErrors: true }).compile(
  JSON.parse(readFileSync(join(import.meta.dirname, 'schema.json'), 'utf8')),
);

/** Reads the table of an app. @throws Error that names each rule it breaks. */
export async function runtimeOf(app) {
  const runtime = JSON.parse(readFileSync(join(ROOT, 'apps', app, 'runtime.json'), 'utf8'));
  const problems = problemsOf(runtime, await configOf(app));
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `apps/${app}/runtime.json: ${problem}`).join('\n'));
  return runtime;
}

/** Lists what is wrong with a table, given what is known of its app's variables (`configOf`). */
export function problemsOf(runtime, { type, variables, needed }) {
  if (!hasSchema(runtime))
    return hasSchema.errors.map(({ instancePath, message }) => `${instancePath || 'the table'} ${message}`);
  const { needs, ports, folders = {} } = runtime;
  const given = [...needs, ...Object.keys(folders)];
  const names = variables.map(({ name }) => name);
  return [
    ...[...given, ...Object.keys(ports)]
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is no variable of this app (docs/configuration.md)`),
    ...needed
      .filter((name) => !given.includes(name))
      .map((name) => `${name} is in neither needs nor folders, and the app does not start without it`),
    ...Object.entries(ports).flatMap(([name, port]) => {
      const { property } = variables.find((variable) => variable.name === name) ?? {};
      const usual = new type()[property];
      return usual && usual !== port ? [`${name} is ${usual} by default, not ${port}`] : [];
    }),
  ];
}

/** Says whether a file of a package is of use to a program, and not types or a source map alone. */
export const isOfUse = (file) => !/\.(d\.ts|map)$/.test(file);

/** Copies what runs of a built app, its bundle and the files of its table, into a folder with the same paths; nothing else is needed. */
export async function copyProgram(app, folder) {
  const { files = [] } = await runtimeOf(app);
  for (const path of ['dist/bundle', ...files]) {
    const source = [join(ROOT, 'apps', app, path), join(ROOT, path)].find((one) => existsSync(one));
    if (!source) throw new Error(`apps/${app}/runtime.json: ${path} does not exist`);
    cpSync(source, join(folder, path), { recursive: true, dereference: true, filter: isOfUse });
  }
}
