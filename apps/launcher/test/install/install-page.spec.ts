import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '../../src/config.js';
import { parseOperatorCall } from '../../src/operator/operator-arguments.js';

/**
 * The commands of "One container" run in `npm run check:deploy -- --run`, with podman in place of docker, and so do those of "Compose" behind the
 * start, on containers that are described as the file describes them; it needs root and minutes. Never run are docker and Compose themselves (no
 * registry of images is at hand), Caddy (no name leads here), helm and kubectl (there is no cluster). This file says that what they name exists.
 */
const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);
const lines = blocks.flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'));
const composed = ['compose.yaml', 'compose.sandbox.yaml'].flatMap((name) => {
  const file = readFileSync(join(ROOT, 'docker', name), 'utf8');
  return Object.keys((parse(file, { merge: true }) as { services: object }).services);
});

test('bash takes every block', () => {
  expect(blocks.length).toBeGreaterThan(12);
  for (const text of blocks) execFileSync('bash', ['-n', '-c', text.replaceAll(/<[^>\n]*>/g, 'filled-in')]);
});

test('every path that a command names exists', () => {
  const paths = blocks.flatMap((text) => text.match(/\b(docker|deploy|apps)\/[\w./-]+/g) ?? []);
  expect(paths).toContain('docker/compose.yaml');
  expect(paths.filter((path) => !path.includes('/dist/') && !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every command of the operator is one, with options that it has', () => {
  const calls = lines.flatMap(
    (line) => /(?:operator --|exec gateway operator|rm operator) ([^|)]+)/.exec(line)?.[1] ?? [],
  );
  expect(calls).toHaveLength(7);
  for (const call of calls) {
    const words = (call.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
    expect(() => parseOperatorCall(words)).not.toThrow();
  }
});

test('every container of Compose that a command names is one', () => {
  const named = lines.flatMap(
    (line) => /docker compose (?:exec|run --rm|restart) ([\w-]+)/.exec(line)?.[1] ?? [],
  );
  expect(new Set(named)).toContain('operator');
  for (const name of named) expect(composed).toContain(name);
});

test('every Secret that Kubernetes is given has the name and the keys of the list', () => {
  const table = readFileSync(join(ROOT, 'deploy/README.md'), 'utf8');
  const pattern = /create secret generic ([a-z-]+) --from-literal=([A-Z_]+)=/g;
  const secrets = lines.flatMap((line) => [...line.matchAll(pattern)]);
  expect(secrets.length).toBeGreaterThan(4);
  for (const [, name, key] of secrets)
    expect(table).toMatch(new RegExp(`^\\| .*\`${name}\`.*\\| .*\`${key}\``, 'm'));
});
