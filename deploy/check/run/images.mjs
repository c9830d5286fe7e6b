// Builds the images by their recipe, and says what should not be in them.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { imageOf, services } from '../../source/services.mjs';
import { podman } from './engine.mjs';

export const APPS = [...services.map(({ app }) => app), 'simulator'];

/** Builds the image of every program, under the names that the manifests have. */
export async function buildImages(nodeImage) {
  for (const app of APPS)
    await podman(
      ...['build', '--isolation', 'chroot', '--layers', '--file', 'docker/Dockerfile'],
      ...['--build-arg', `NODE_IMAGE=${nodeImage}`, '--build-arg', `APP=${app}`],
      ...['--build-arg', `VERSION=${imageOf(app).split(':')[1]}`, '--tag', imageOf(app), '.'],
    );
}

const OF_THE_PROGRAM = [
  [/\.map$/, 'a source map'],
  [/\.[cm]?tsx?$/, 'a source in TypeScript'],
  [/(^|\/)(tests?|__tests__)\/|\.(spec|test)\./, 'a test'],
];
const OF_THE_IMAGE = [[/(^|\/)(npm|npx|yarn|yarnpkg|pnpm|corepack)$/, 'a package manager']];

/** Lists what an image has and should not. */
export async function wrongContents(image) {
  const root = await podman('image', 'mount', image);
  try {
    return wrongFiles(root).map((sentence) => `${image}: ${sentence}`);
  } finally {
    await podman('image', 'unmount', image);
  }
}

/** Lists the files below the root of an image that should not be there. */
export const wrongFiles = (root) => [
  ...found(join(root, 'app'), root, OF_THE_PROGRAM),
  ...found(root, root, OF_THE_IMAGE),
];

function found(folder, root, rules) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    relative(root, join(entry.parentPath, entry.name)),
  );
  return paths.flatMap((path) =>
    rules.filter(([pattern]) => pattern.test(path)).map(([, name]) => `/${path} is ${name}.`),
  );
}
