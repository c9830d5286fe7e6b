// Runs the suites of the simulator and the worker with the newest version of the platform library, in a copy, and says what failed:
// `npm run check:library`, or with a version of your choice `npm run check:library -- 7.0.0-rc15`. `--keep` leaves the copy there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { copyWith, LIBRARY, newestVersion, usedVersion } from './copy.mjs';

const SUITES = ['apps/simulator', 'apps/session-worker'];
/** Tests of what upstream has not mended (docs/library-patches.md). */
const OF_PATCHES = 'apps/simulator/test/library/';

const wish = process.argv.slice(2).find((word) => !word.startsWith('-'));
const version = wish ?? newestVersion();
if (version === undefined) {
  console.log(`Nothing is newer than ${LIBRARY} ${usedVersion()}.`);
} else {
  const { copy, changed } = copyWith(version);
  console.log(`${LIBRARY} ${version} in place of ${usedVersion()}, in ${copy}`);
  if (changed.length > 0) console.log(`It brings other packages: ${changed.join(', ')}`);
  const failures = check(copy);
  if (!process.argv.includes('--keep')) rmSync(copy, { recursive: true });
  tell(failures);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Builds the copy, checks its types and runs its suites; lists what failed as `{where, what}`. */
function check(copy) {
  const run = (cwd, args) => spawnSync(process.execPath, args, { cwd: join(copy, cwd), encoding: 'utf8' });
  const built = run('.', ['apps/launcher/build.mjs']);
  if (built.status !== 0) return [{ where: 'build', what: lastLines(built) }];
  const types = run('.', ['tools/typecheck.mjs']);
  return [
    ...(types.status === 0 ? [] : [{ where: 'types', what: lastLines(types) }]),
    ...SUITES.flatMap((suite) => failuresOf(copy, suite, run)),
  ];
}

function failuresOf(copy, suite, run) {
  const report = join(copy, `${suite.replace('/', '-')}.json`);
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const modules = ['--experimental-vm-modules', '--no-warnings'];
  const done = run(suite, [...modules, jest, '--json', `--outputFile=${report}`]);
  if (!existsSync(report)) return [{ where: suite, what: lastLines(done) }];
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => {
    const where = relative(copy, file.name);
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (file.status === 'failed' && failed.length === 0) return [{ where, what: firstLines(file.message) }];
    return failed.map(({ fullName }) => ({ where, what: fullName }));
  });
}

const firstLines = (text) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .slice(0, 2)
    .join(' ');
const lastLines = ({ stdout, stderr }) => `${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n');

function tell(failures) {
  const mended = failures.filter(({ where }) => where.startsWith(OF_PATCHES));
  const others = failures.filter((failure) => !mended.includes(failure));
  const list = (words, some) => {
    if (some.length > 0)
      console.log([words, ...some.map(({ where, what }) => `  ${where}: ${what}`)].join('\n'));
  };
  list('Upstream seems to have mended this; see which patch can go (docs/library-patches.md):', mended);
  list('This does not work with it:', others);
  if (failures.length === 0) console.log('All suites pass with it, and every patch is still needed.');
}
