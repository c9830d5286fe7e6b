// Tries the API description as tenants meet it: two foreign generators make types of it, samples that use these compile with --strict, and the
// recommended rules of Redocly find no error. Reads the built gateway; `.ci/run` counts the line that it ends with.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeApi } from '../sdk/pages.mjs';

const HERE = import.meta.dirname;
const run = promisify(execFile);
/** Runs a command of this folder's packages. @throws Error with all that it printed */
const command = (name, ...args) =>
  run(join(HERE, 'node_modules/.bin', name), args, { cwd: HERE, maxBuffer: 64 << 20 }).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });

// The folder lies inside, so that what is generated finds the packages.
const folder = await mkdtemp(join(HERE, '.generated-'));
const description = join(folder, 'openapi.json');
await writeFile(description, JSON.stringify(await describeApi()));

/** Compiles the sample with the types that a generator made, which a file of ours hands to it as `./types`. */
async function compile(types, generated) {
  const sample = join(folder, 'uses.ts');
  await copyFile(join(HERE, 'samples', types), join(folder, 'types.ts'));
  await copyFile(join(HERE, 'samples/uses.ts'), sample);
  const options =
    '--strict --noEmit --target es2022 --module nodenext --skipLibCheck false --exactOptionalPropertyTypes false';
  await command('tsc', ...options.split(' '), generated, sample);
}

const tests = {
  'samples compile with what openapi-typescript makes': async () => {
    const generated = join(folder, 'openapi-typescript.ts');
    await command('openapi-typescript', description, '--output', generated);
    await compile('of-openapi-typescript.ts', generated);
  },
  'samples compile with what @hey-api/openapi-ts makes': async () => {
    const output = join(folder, 'hey-api');
    await command(
      'openapi-ts',
      '--input',
      description,
      '--output',
      output,
      '--plugins',
      '@hey-api/typescript',
    );
    await compile('of-hey-api.ts', join(output, 'types.gen.ts'));
  },
  "Redocly's recommended rules find no error": async () => {
    await command('redocly', 'lint', description, '--extends', 'recommended', '--format', 'stylish');
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const error = await test().catch((thrown) => thrown);
  failed += error ? 1 : 0;
  console.log(`${error ? '✕' : '✓'} ${name}${error ? `\n${error.message.slice(0, 6_000)}` : ''}`);
}
await rm(folder, { recursive: true, force: true });
const count = Object.keys(tests).length;
console.log(`Tests:       ${failed ? `${failed} failed, ` : ''}${count - failed} passed, ${count} total`);
process.exit(failed ? 1 : 0);
