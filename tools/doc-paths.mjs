// Says which pages name a path of the repository that does not exist: `apps/…`, `libs/…` or `tools/…` as code or as a link.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
/** Whole paths of files and folders; those with something to fill in (`<app>`, `*`, `…`) name none. */
const CODE = /`((?:apps|libs|tools)\/[\w./-]+)`/g;
const LINK = /\]\((\.{1,2}\/[^)#\s]+)/g;

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
  ...['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(ROOT, kind)).map((project) => join(kind, project, 'README.md')),
  ),
].filter((page) => existsSync(join(ROOT, page)));

/** `page: path` of each path that is named and does not exist. */
export function missingPaths() {
  return pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const named = [...text.matchAll(CODE)].map(([, path]) => [path, join(ROOT, path)]);
    const linked = [...text.matchAll(LINK)].map(([, path]) => [path, join(ROOT, dirname(page), path)]);
    return [...named, ...linked].filter(([, file]) => !existsSync(file)).map(([path]) => `${page}: ${path}`);
  });
}
