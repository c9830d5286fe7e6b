// Compares what is done around the platform library with its list, docs/library-patches.md: each patch of the code has a row, and each row
// its place in the code and a test of the unmodified library that fails once upstream has mended it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'docs/library-patches.md';
const CODE = 'apps/session-worker/src/platform/whatsapp';
const TESTS = 'apps/simulator/test';
const MARK = /^ *\/\/ Library patch: (\S+)$/gm;

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Reads the rows of the page: name, file, reason, upstream, test file and the title of the test. */
function rows() {
  return [...read(PAGE).matchAll(/^\| +([\w-]+) +\|(.+)\|$/gm)]
    .map(([, name, rest]) => [name, ...rest.split('|').map((cell) => cell.trim())])
    .filter(([name]) => !/^-+$|^Patch$/.test(name))
    .map(([name, file, reason, upstream, test = '']) => {
      const [, spec = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
      return { name, file: file.replaceAll('`', ''), reason, upstream, spec, title };
    });
}

/** Lists the patches of the code as `file name`. */
function marks() {
  return readdirSync(join(ROOT, CODE), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...read(join(CODE, path)).matchAll(MARK)].map(([, name]) => `${path} ${name}`));
}

function problemsOf({ name, file, reason, upstream, spec, title }, marked) {
  const path = join(TESTS, spec);
  if (!marked.has(`${file} ${name}`)) return [`${file} has no line "// Library patch: ${name}"`];
  if (!reason || !upstream) return [`${name} has no reason, or no word of upstream`];
  if (!spec || !existsSync(join(ROOT, path))) return [`${name} has no test: ${spec || 'none is named'}`];
  return read(path).includes(title) ? [] : [`${path} has no test "${title}" of ${name}`];
}

const listed = rows();
const marked = new Set(marks());
const named = new Set(listed.map(({ file, name }) => `${file} ${name}`));
const tested = new Set(listed.map(({ spec }) => basename(spec)));
const problems = [
  ...listed.flatMap((row) => problemsOf(row, marked)),
  ...[...marked].filter((mark) => !named.has(mark)).map((mark) => `${PAGE} does not list ${mark}`),
  ...readdirSync(join(ROOT, TESTS, 'library'))
    .filter((file) => file.endsWith('spec.ts') && !tested.has(basename(file)))
    .map((file) => `${TESTS}/library/${file} is of no patch of ${PAGE}`),
];
for (const problem of problems) console.error(problem);
if (listed.length === 0) console.error(`${PAGE} lists nothing`);
process.exitCode = problems.length > 0 || listed.length === 0 ? 1 : 0;
