import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '../src/services/services.js';
import type { StackDescription } from '../src/state/stack-file.js';
import { environmentOf, Launcher, run } from './launcher.js';

const PATIENCE_MS = 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'launcher-production-'));
let launcher: Launcher;
let stack: StackDescription;

/** The stack of the single container, with its own servers and the simulator as sandbox; a named revision, so that the platform is asked for nothing. */
beforeAll(async () => {
  launcher = new Launcher(dataDir, { SVC_MODE: 'production', PLATFORM_VERSION: '1234567890' });
  stack = await launcher.ready();
});
afterAll(async () => {
  await launcher.stop();
  rmSync(dataDir, { recursive: true });
});

test('every service runs in production, and none of them lets a local receiver through', () => {
  for (const { name } of SERVICES) {
    const environment = environmentOf(launcher.pidOf(name) as number);
    expect([name, environment['SVC_MODE']]).toEqual([name, 'production']);
    expect(environment).not.toHaveProperty('WEBHOOK_ALLOWED_ORIGINS');
  }
});

test('there is no demo tenant, and no key is printed', () => {
  expect(stack.demo).toBeNull();
  expect(launcher.output).toContain('production has no demo tenant: operator tenants create makes one');
  expect(launcher.output).not.toMatch(/rk_(live|test)_/);
});

test('the doctor finds nothing wrong, and time cannot be moved', async () => {
  const { code, stdout } = await run([...stack.operator, 'doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: unknown[] };
  expect({ code, findings }).toEqual({ code: 0, findings: [] });
  const moved = await run([...stack.operator, 'clock', 'set', '2040-01-01T00:00:00Z']);
  expect([moved.code, JSON.parse(moved.stdout)]).toEqual([
    1,
    expect.objectContaining({ code: 'DEVELOPMENT_ONLY' }),
  ]);
});

test('a message of a test key is delivered by the simulator, as docs/install.md goes', async () => {
  const made = await run([
    ...stack.operator,
    'tenants',
    'create',
    '--name',
    'First tenant',
    '--plan',
    'STARTER',
  ]);
  let key = (JSON.parse(made.stdout) as { apiKey: string }).apiKey;
  const call = async (path: string, body?: object): Promise<Record<string, string>> => {
    const response = await fetch(`${stack.gateway}/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, string>;
  };
  key = String((await call('api-keys', { name: 'first', environment: 'TEST' }))['secret']);
  const { id } = await call('sessions', { name: 'my first number' });
  await call(`sandbox/sessions/${id}/scan`, {});
  const { jobId } = await call('messages', { sessionId: id, to: '+15550100002', text: 'Hello' });
  await waitFor(
    'it is read',
    async () => (await call(`messages/${jobId}`))['status'] === 'READ',
    PATIENCE_MS,
  );
});
