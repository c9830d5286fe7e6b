import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;

// The npm of the repository is for newer Nodes than the oldest one that the client is for.
test('the client is packed with both builds, their types, the examples, its licence and nothing else', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  const builds = paths.filter((path) =>
    /^(?:dist|cjs\/dist)\/(?:[a-z]+\/)?[a-z-]+\.(?:js|d\.ts)$/.test(path),
  );
  expect(builds).toEqual(
    expect.arrayContaining(['dist/index.d.ts', 'cjs/dist/index.d.ts', 'dist/cli/svc.js']),
  );
  expect(builds.filter((path) => path.startsWith('cjs/'))).toHaveLength(builds.length / 2);
  expect(paths.filter((path) => !builds.includes(path)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'cjs/package.json',
    'examples/express.cjs',
    'examples/fastify.ts',
    'examples/nest.ts',
    ...['vectors.json', ...['php', 'py', 'rb', 'sh', 'ts'].map((one) => `verify.${one}`)].map(
      (file) => `examples/verify/${file}`,
    ),
    'package.json',
  ]);
});
