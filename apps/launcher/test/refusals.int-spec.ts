import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/processes/ports.js';
import { Launcher, operatorOf, processesOf, run } from './launcher.js';

const dataDir = mkdtempSync(join(tmpdir(), 'launcher-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

test('a start with wrong variables names them all and starts nothing', async () => {
  const launcher = new Launcher(dataDir, { GATEWAY_PORT: 'http', NATS_URL: 'http://127.0.0.1' });
  expect(await launcher.exited).toBe(1);
  expect(launcher.output.trim()).toBe(
    'Wrong configuration:\n' +
      '  GATEWAY_PORT must be a port from 0 to 65535\n' +
      '  NATS_URL must start with nats:// or tls://',
  );
});

test('a start with an unknown option names it', async () => {
  const launcher = new Launcher(dataDir, {}, ['--frsh']);
  expect(await launcher.exited).toBe(1);
  expect(launcher.output).toContain("Unknown option '--frsh'");
});

test('help starts nothing', async () => {
  const launcher = new Launcher(dataDir, {}, ['--help']);
  expect(await launcher.exited).toBe(0);
  expect(launcher.output).toContain('GATEWAY_PORT');
});

test('a start that fails shows the last words of the program that failed, and stops what it had started', async () => {
  const nobody = await freePort();
  const databaseUrl = `postgres://u:p@127.0.0.1:${nobody}/d`;
  const launcher = new Launcher(dataDir, { DATABASE_URL: databaseUrl });
  expect(await launcher.exited).toBe(1);
  expect(launcher.output).toMatch(/The schema of [\w-]+ could not be brought up to date: ended with code 1/);
  expect(launcher.output).toContain('ECONNREFUSED');
  expect(processesOf(dataDir, { postgres: databaseUrl, nats: 'nats://127.0.0.1:1' })).toEqual([]);
});

test('the operator says where it looked when nothing runs', async () => {
  const { code, stdout, stderr } = await run(operatorOf('tenants', 'list'), { DATA_DIR: dataDir });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(stderr).toContain(dataDir);
});

test('the operator names a wrong argument without needing a stack', async () => {
  const { code, stdout } = await run(operatorOf('tenants', 'create', '--plan', 'STARTER'));
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining('--name is missing'),
  });
});
