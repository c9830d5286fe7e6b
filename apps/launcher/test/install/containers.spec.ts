import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

/** Functions of deploy/check/run, which have no types. */
const { wrongRights } = (await import('../../../../deploy/check/run/kernel.mjs' as string)) as {
  wrongRights(name: string, kernel: { status: string; mounts: string }): string[];
};
const { wrongFiles } = (await import('../../../../deploy/check/run/images.mjs' as string)) as {
  wrongFiles(root: string): string[];
};

const root = mkdtempSync(join(tmpdir(), 'launcher-image-'));
afterAll(() => rmSync(root, { recursive: true }));

const NONE = '0000000000000000';
const status = (change: Record<string, string> = {}): string =>
  Object.entries({
    ...{ Uid: '10001\t10001\t10001\t10001', Gid: '10001\t10001\t10001\t10001' },
    ...{ CapInh: NONE, CapPrm: NONE, CapEff: NONE, CapBnd: NONE, CapAmb: NONE, NoNewPrivs: '1' },
    ...change,
  })
    .map(([key, value]) => `${key}:\t${value}\n`)
    .join('');
const mounts = (options: string): string =>
  `600 500 0:80 / / ${options} - overlay overlay rw\n601 600 0:81 / /tmp rw,relatime - tmpfs tmpfs rw\n`;

test('a process that may do nothing has nothing wrong with it', () => {
  expect(wrongRights('limits', { status: status(), mounts: mounts('ro,relatime') })).toEqual([]);
});

test.each([
  [{ Uid: '0\t0\t0\t0' }, 'ro', 'limits runs as 0, 10001, not from 10000 on.'],
  [{ CapBnd: '00000000a80425fb' }, 'ro', 'limits has capabilities (CapBnd).'],
  [{ NoNewPrivs: '0' }, 'ro', 'limits may gain rights by a program that it runs.'],
  [{}, 'rw,relatime', 'limits may write to its root.'],
])('a process with %j and a root that is %s is named', (change, options, sentence) => {
  expect(wrongRights('limits', { status: status(change), mounts: mounts(options) })).toEqual([sentence]);
});

test('an image has no source map, no source, no test, and nothing that installs packages', () => {
  const files = [
    ...['app/dist/bundle/main.js', 'app/public/widget.js', 'usr/share/doc/x.ts', 'usr/local/bin/node'],
    ...[
      'app/dist/bundle/main.js.map',
      'app/src/main.ts',
      'app/dist/main.spec.js',
      'app/node_modules/a/test/a.js',
    ],
    ...['usr/local/lib/node_modules/npm/index.js', 'usr/local/bin/npx'],
  ];
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  expect(wrongFiles(root).sort()).toEqual([
    '/app/dist/bundle/main.js.map is a source map.',
    '/app/dist/main.spec.js is a test.',
    '/app/node_modules/a/test/a.js is a test.',
    '/app/src/main.ts is a source in TypeScript.',
    '/usr/local/bin/npx is a package manager.',
    '/usr/local/lib/node_modules/npm is a package manager.',
  ]);
});
