// Rules for the labels of the images: who finds one in a registry reads what it is, by the names of the OCI image specification.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../source/services.mjs';
import { sentences } from './pods.mjs';

export const RECIPES = ['docker/Dockerfile', 'docker/single.Dockerfile'];
const PREFIX = 'org.opencontainers.image.';
const NAMES = ['title', 'description', 'licenses', 'version', 'source'];
/** Labels that whoever builds the image says, by build argument. */
const SAID = { version: 'VERSION', source: 'SOURCE' };

/** Lists what is wrong with the labels of the recipes, as `<file>:<line>: <sentence>`. @param files texts by path. */
export function wrongLabels(files) {
  const { license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return RECIPES.flatMap((file) => {
    const lines = files[file].split('\n');
    const from = lines.findLastIndex((line) => line.startsWith('FROM '));
    const stage = lines.slice(from);
    const args = stage.flatMap((line) => /^ARG (\w+)/.exec(line)?.[1] ?? []);
    return NAMES.flatMap((name) => {
      const label = `${PREFIX}${name}`;
      const at = stage.findIndex((line) => line.includes(`${label}=`));
      const text = /="([^"]*)"/.exec(stage[at] ?? '')?.[1];
      const line = `${file}:${from + Math.max(at, 0) + 1}`;
      if (!text) return [`${line}: the image has no label ${label}.`];
      return wrongLabel({ name, label, text, line, license, args });
    });
  });
}

function wrongLabel({ name, label, text, line, license, args }) {
  const said = SAID[name];
  return [
    ...sentences(
      [
        name === 'licenses' && text !== license,
        line,
        `the label ${label} is not ${license}, which package.json has.`,
      ],
      [
        Boolean(said) && text !== `\${${said}}`,
        line,
        `the label ${label} is not the build argument ${said}.`,
      ],
    ),
    ...[...text.matchAll(/\$\{(\w+)\}/g)]
      .filter(([, used]) => !args.includes(used))
      .map(
        ([, used]) =>
          `${line}: the last stage has no build argument ${used}, so the label ${label} is empty.`,
      ),
  ];
}
