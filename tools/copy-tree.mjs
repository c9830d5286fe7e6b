// Copies this work tree for a check that changes it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linkPackages } from './link-packages.mjs';

/** Copies files that git knows or would, and what is built of them: only what is new has to be. */
export function copyTree(root, copy) {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  const files = list
    .toString()
    .split('\0')
    .filter((file) => file && existsSync(join(root, file)));
  const built = [
    ...new Set(files.filter((file) => /^(apps|libs)\/[^/]+\/package\.json$/.test(file)).map(dirname)),
  ]
    .map((project) => join(project, 'dist'))
    .filter((folder) => existsSync(join(root, folder)));
  for (const path of [...files, ...built]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  }
  linkPackages(copy);
}
