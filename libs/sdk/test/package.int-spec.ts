import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NODE } from './node-under-test.js';

const run = promisify(execFile);
const root = new URL('..', import.meta.url).pathname;
const SHOW = `const client = new SvcClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9' });
  console.log(verifyWebhook('', {}, 'any').reason, typeof client.messages.send, typeof client.events.stream);`;
const SHOWN = 'missing-signature function function\n';

/** Runs code in a Node of its own, without Jest's module system, as a receiver has it. */
const node = async (type: string, code: string): Promise<string> =>
  (await run(NODE, [`--input-type=${type}`, '-e', code], { cwd: root })).stdout;

test('is imported as an ES module', async () => {
  expect(await node('module', `import { SvcClient, verifyWebhook } from '@svc/sdk'; ${SHOW}`)).toBe(SHOWN);
});

test('is required as CommonJS, without the loader of ES modules behind it', async () => {
  const code = `const { SvcClient, verifyWebhook } = require('@svc/sdk'); ${SHOW}`;
  expect(await node('commonjs', code)).toBe(SHOWN);
  const { stdout } = await run(NODE, ['-p', `require.resolve('@svc/sdk')`], { cwd: root });
  expect(stdout).toMatch(/cjs\/dist\/index\.js\n$/);
});

test('has no dependency at run time', async () => {
  const manifest = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as Record<string, unknown>;
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual(['devDependencies']);
});
