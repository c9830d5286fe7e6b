// The variables that an app reads from its environment, as its config class says. Reads the built app: nobody else lists them.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const built = (path) => import(pathToFileURL(join(ROOT, path)).href);

/** Finds the config class of an app with its variables, and the names of those without which it does not start; undefined where the app has none. */
export async function configOf(app) {
  const file = `apps/${app}/dist/config.js`;
  if (!existsSync(join(ROOT, file))) return undefined;
  const { envVariables, loadConfig } = await built('libs/service/dist/index.js');
  const types = Object.values(await built(file)).filter((one) => typeof one === 'function' && one.prototype);
  const config = types
    .map((type) => ({ type, variables: envVariables(type) }))
    .find(({ variables }) => variables.length > 0);
  return config && { ...config, needed: missingFrom(() => loadConfig(config.type, {})) };
}

/** Reads the names of missing variables off the refusal of an empty environment. */
function missingFrom(load) {
  try {
    load();
    return [];
  } catch (error) {
    return [...error.message.matchAll(/^ *([A-Z0-9_]+) is missing$/gm)].map(([, name]) => name);
  }
}
