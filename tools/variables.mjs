// The variables that an app reads from its environment, as its config class says. Reads the built app: nobody else lists them.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const built = (path) => import(pathToFileURL(join(ROOT, path)).href);

/** Finds the config class of an app with its variables; undefined where the app has none. */
export async function configOf(app) {
  const file = `apps/${app}/dist/config.js`;
  if (!existsSync(join(ROOT, file))) return undefined;
  const { envVariables } = await built('libs/service/dist/index.js');
  const types = Object.values(await built(file)).filter((one) => typeof one === 'function' && one.prototype);
  return types
    .map((type) => ({ type, variables: envVariables(type) }))
    .find(({ variables }) => variables.length > 0);
}
