// Mutation tests: `npm run mutate -- <project>…` changes the pure modules that mutate.json lists, one spot at a time, and runs the specs
// beside that module; without a name all projects. A change that no spec notices survives; below 80 per cent noticed it fails. Module by
// module, since a change of what runs when a module is loaded needs all specs of a run: those of a whole project took hours. The modules
// are pure and their specs open no sockets: what a mutated line does reaches nobody (no-sockets.mjs refuses all connections).
// `--check` mutates nothing and only looks whether each module of the list, and the spec beside it, is there.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const BREAK = 80;
const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const projects = readJson('tools/mutate.json');
/** Names the spec beside a module. What is about one side of it may stand in another one, `<module>-<side>.spec.ts`. */
const specOf = (module) => module.replace(/\.ts$/, '.spec.ts');
const specsOf = (module) => [specOf(module), module.replace(/\.ts$/, '-*.spec.ts')];

/** Writes the configuration of Jest from jest.preset.mjs, but for the paths: the copy that is mutated lies two folders deeper. */
function jestConfig(specs) {
  const {
    composite: _,
    declarationMap: __,
    ...compilerOptions
  } = readJson('tsconfig.base.json').compilerOptions;
  return {
    testEnvironment: 'node',
    testMatch: specs.map((spec) => `**/${spec}`),
    extensionsToTreatAsEsm: ['.ts'],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: compilerOptions, diagnostics: false }] },
    setupFiles: ['no-sockets', 'short-properties'].map((name) => join(ROOT, `tools/${name}.mjs`)),
  };
}

const optionsOf = (module) => ({
  mutate: [module],
  ignorePatterns: ['**', '!src/**', '!test/**', '!package.json'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  plugins: ['@stryker-mutator/jest-runner'],
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: true,
    config: jestConfig(specsOf(module)),
  },
  coverageAnalysis: 'perTest',
  ignoreStatic: false,
  concurrency: 2,
  timeoutMS: 10_000,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, allowEmojis: false, reportTests: false },
  thresholds: { high: 100, low: BREAK, break: null },
  tempDirName: 'out-tsc/mutate',
  cleanTempDir: 'always',
  logLevel: 'warn',
  allowConsoleColors: false,
});

/** Counts the changes of one module that were noticed, and those that were not. */
async function mutateModule(module) {
  const { Stryker } = await import('@stryker-mutator/core');
  const results = await new Stryker(optionsOf(module)).runMutationTest();
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const all = noticed + count('Survived', 'NoCoverage');
  process.stdout.write(`${module}: ${noticed} of ${all} noticed\n`);
  return { noticed, all };
}

/** @returns the percentage of noticed changes; undefined where the project lists no modules. */
async function mutate(name) {
  const { folder, modules } = projects[name];
  if (modules.length === 0) return undefined;
  process.chdir(join(ROOT, folder));
  const sum = { noticed: 0, all: 0 };
  for (const module of modules) {
    const { noticed, all } = await mutateModule(module);
    sum.noticed += noticed;
    sum.all += all;
  }
  return (100 * sum.noticed) / sum.all;
}

/** Ends the process with what is wrong. */
function fail(problems) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}

/** Says which files of a project are not there: Stryker would pass over a module in silence. */
function missingFiles(name) {
  const { folder, modules } = projects[name];
  const isMissing = (file) => !existsSync(join(ROOT, folder, file));
  return modules.flatMap((module) => {
    if (isMissing(module)) return [`mutate.json lists ${folder}/${module}, which does not exist.`];
    return isMissing(specOf(module)) ? [`${folder}/${module} has no spec beside it.`] : [];
  });
}

/** Says which projects the list names twice: JSON takes the last one in silence. */
function twiceNamed() {
  const text = readFileSync(join(ROOT, 'tools/mutate.json'), 'utf8');
  const keys = [...text.matchAll(/^ {2}"([^"]+)": \{$/gm)].map(([, key]) => key);
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  return twice.map((key) => `mutate.json names ${key} twice.`);
}

const isCheck = process.argv.includes('--check');
const chosen = process.argv.slice(2).filter((argument) => argument !== '--check');
const names = chosen.length > 0 ? chosen : Object.keys(projects);
const unknown = names.filter((name) => !Object.hasOwn(projects, name));
if (unknown.length > 0) {
  fail([`mutate.json has no ${unknown.join(', ')}; it has ${Object.keys(projects).join(', ')}.`]);
}
const missing = [...twiceNamed(), ...names.flatMap(missingFiles)];
if (missing.length > 0) fail(missing);
if (isCheck) process.exit();
const lines = [];
for (const name of names) {
  const startedAt = performance.now();
  const score = await mutate(name);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (score !== undefined && score < BREAK) process.exitCode = 1;
  lines.push(
    score === undefined ? `${name}: no modules are listed` : `${name}: ${score.toFixed(1)} % in ${seconds} s`,
  );
}
process.stdout.write(`\n${lines.join('\n')}\nAt least ${BREAK} % of the changes must be noticed.\n`);
