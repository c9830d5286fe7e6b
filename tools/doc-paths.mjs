// Says which pages name a path of the repository that does not exist, as code or as a link.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
/** Whole paths of files and folders; those with something to fill in (`<app>`, `*`, `…`) name none. */
const WHOLE = /`((?:apps|libs|tools)\/[\w./-]+)`/g;
/** The end of a path of a file, as pages write it that go through one app: `sending/draft.ts`. */
const END = /`((?!(?:apps|libs|tools)\/)[\w./-]+\.(?:ts|mjs|sql))`/g;
const LINK = /\]\((\.{1,2}\/[^)#\s]+)/g;
const SKIPPED = new Set(['node_modules', 'dist', 'out-tsc', '.data', 'coverage']);

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
  ...['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((project) => join(kind, project, 'README.md')),
  ),
].filter((page) => existsSync(join(ROOT, page)));

function* filesBelow(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (!SKIPPED.has(entry.name)) yield* filesBelow(path);
  }
}

/** Lists `page: path` of each path that is named and does not exist. Decisions keep the short names of their day. */
export function missingPaths() {
  const files = ['apps', 'libs', 'tools'].flatMap((folder) => [...filesBelow(folder)]);
  const isEnd = (path) => files.some((file) => file.endsWith(`/${path}`));
  return pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const all = (pattern) => [...text.matchAll(pattern)].map(([, path]) => path);
    const missing = [
      ...all(WHOLE).filter((path) => !existsSync(join(ROOT, path))),
      ...all(LINK).filter((path) => !existsSync(join(ROOT, dirname(page), path))),
      ...(page.startsWith('docs/adr/') ? [] : all(END).filter((path) => !isEnd(path))),
    ];
    return missing.map((path) => `${page}: ${path}`);
  });
}

/** The section of the architecture that says what the files of one send are for, and the last paragraph of it: those that are not on the walk. */
const SECTION = /^## One message out, by file$([\s\S]*?)^(What this section names[\s\S]*?)^###/m;
const CODE = /`([\w./-]+\.(?:ts|sql))`/g;

/** Lists the files that the architecture counts to one send and the walk does not, or the other way round. */
export function strayWalkFiles() {
  const [walk, architecture] = ['walk', 'architecture'].map((page) =>
    readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'),
  );
  const [, section, others] = SECTION.exec(architecture) ?? [];
  if (!section)
    return ['docs/architecture.md has no section "One message out, by file" with its last paragraph.'];
  const namesIn = (text) => [...text.matchAll(CODE)].map(([, name]) => name);
  const walked = namesIn(walk);
  const isWalked = (name) => walked.some((path) => path === name || path.endsWith(`/${name}`));
  const beside = new Set(namesIn(others));
  return [
    ...namesIn(section)
      .filter((name) => !isWalked(name) && !beside.has(name))
      .map((name) => `docs/architecture.md counts ${name} to one send; docs/walk.md does not.`),
    ...[...beside]
      .filter(isWalked)
      .map((name) => `docs/walk.md counts ${name} to one send; docs/architecture.md says that it is not.`),
  ];
}
