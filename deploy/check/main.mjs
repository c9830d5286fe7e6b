// `npm run check:deploy`: says what is wrong with deploy/, a sentence with file and line for each. Needs nothing that is built, and no cluster.
// `-- --run` builds the images besides, and plays an overlay with them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../source/services.mjs';
import { brokenRules, differencesOfChart, PAGE, staleFiles } from './check.mjs';
import { COMPOSE, wrongCompose } from './compose.mjs';
import { wrongExamples } from './examples.mjs';
import { RECIPES, wrongLabels } from './labels.mjs';
import { differencesOfSandbox } from './sandbox.mjs';

/** Reads what is checked in below deploy/, for Compose and for the images: texts by path. */
export function deployedFiles() {
  const folders = ['deploy/kustomize', 'deploy/helm', 'deploy/examples'];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
  return Object.fromEntries(
    [...paths, ...COMPOSE, ...RECIPES, PAGE].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
  );
}

/** Runs all checks. @returns sentences with file and line. */
export async function problemsOfDeploy(files) {
  return [
    ...(await staleFiles(files)),
    ...brokenRules(files),
    ...differencesOfChart(files),
    ...differencesOfSandbox(files),
    ...wrongExamples(files),
    ...wrongCompose(files),
    ...wrongLabels(files),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const began = Date.now();
  const files = deployedFiles();
  const problems = await problemsOfDeploy(files);
  const isRun = process.argv.includes('--run');
  if (isRun && problems.length === 0)
    problems.push(...(await (await import('./run/run.mjs')).problemsOfRun()));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  const played = isRun ? 'The images were played by podman; n' : 'N';
  if (problems.length > 0) process.exitCode = 1;
  else
    process.stdout.write(
      `${Object.keys(files).length} files are right (${seconds} s). ${played}either kustomize nor helm was run.\n`,
    );
}
