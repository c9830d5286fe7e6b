// Puts each program of a built app into one file with all it imports: dist/bundle/main.js, dist/bundle/migrate.js and what threads run. A
// service starts with half the CPU time so (docs/adr/0013-programs-are-bundled.md). Beside them stands runtime.json, the
// table of the app with the names of all variables that it reads: the launcher gives it these and no others. Used by apps/launcher/build.mjs for
// all apps, and by an app's own build: `node ../../tools/bundle.mjs`.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runtimeOf } from './runtime/runtime.mjs';
import { configOf } from './variables.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const PROGRAMS = ['main', 'migrate', 'file-reader'];
/** Packages that load a binary from beside their own files. */
const NATIVE = ['@node-rs/argon2', 'sharp'];

/** CommonJS packages inside an ES module still ask for these. */
const COMMONJS = [
  `import { createRequire as commonJsRequire } from 'node:module';`,
  `const require = commonJsRequire(import.meta.url);`,
  `const __filename = import.meta.filename;`,
  `const __dirname = import.meta.dirname;`,
].join('\n');

/** Packages ask for others that nobody has installed, and do without: those stay questions at run time. */
const optionalPackages = {
  name: 'optional packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === 'asked') return undefined;
      const found = await resolve(path, { resolveDir, kind, pluginData: 'asked' });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/**
 * Plugin that removes the `require` which some packages of NestJS make for themselves: with it they would load libraries from node_modules
 * at run time, beside the copy in the bundle, a second one that knows nothing of the first.
 */
const plainRequires = {
  name: 'plain requires',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs[\\/](typeorm|mapped-types)[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '') };
    });
  },
};

/**
 * Escapes all but ASCII: Node keeps a program's text in memory, twice as large as soon as one letter of it is none of Latin-1. esbuild
 * escapes strings; what is left stands in comments and regular expressions, and means the same there.
 */
const ascii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Line with the version of an app, which its programs tell (`VERSION` of libs/service): each app has one of its own. */
function versionLine(app) {
  const { version } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
  return `const SVC_VERSION = ${JSON.stringify(version)};\n`;
}

/** Puts an app's SQL files beside what is built of it, for where its sources are not shipped (`sqlFolder` of libs/database). */
function copySql(app) {
  const [from, to] = [join(app, 'src/sql'), join(app, 'dist/sql')];
  rmSync(to, { recursive: true, force: true });
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}

/** Puts the programs of built apps into files; what they share is read once. @throws Error when one cannot be bundled. */
export async function bundlePrograms(apps) {
  const programs = apps.flatMap((app) => PROGRAMS.map((name) => ({ app, name })));
  const entryOf = ({ app, name }) => join(app, 'dist', `${name}.js`);
  const { outputFiles } = await build({
    entryPoints: programs
      .filter((program) => existsSync(entryOf(program)))
      .map(({ app, name }) => ({
        in: entryOf({ app, name }),
        out: join(relative(ROOT, app), 'dist/bundle', name),
      })),
    outdir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: NATIVE,
    plugins: [optionalPackages, plainRequires],
    banner: { js: COMMONJS },
    logLevel: 'warning',
    write: false,
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${versionLine(resolve(dirname(path), '../..'))}${ascii(text)}`);
  }
}

/** Bundles built apps, whose folders are given, with what lies beside their programs. */
export async function bundle(apps) {
  await bundlePrograms(apps);
  for (const app of apps) {
    copySql(app);
    const { variables } = await configOf(basename(app));
    const names = variables.flatMap(({ name, secret, file }) =>
      secret || file ? [name, `${name}_FILE`] : [name],
    );
    const runtime = { ...(await runtimeOf(basename(app))), variables: names };
    writeFileSync(join(app, 'dist/bundle/runtime.json'), `${JSON.stringify(runtime)}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle([process.cwd()]);
