import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { STREAMS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SERVICES } from '../src/services/services.js';
import { loadSecrets, OWNER } from '../src/state/secrets.js';
import type { StackDescription } from '../src/state/stack-file.js';
import { Launcher, processesOf, run } from './launcher.js';

const PATIENCE_MS = 60_000;
/** Variables of a production on one machine, which reaches no platform. */
const SAFE = {
  SVC_MODE: 'production',
  WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:9999',
  PLATFORM_URL: 'wss://127.0.0.1:9/ws/chat',
  PLATFORM_VERSION: '1047769893',
};

const dataDir = mkdtempSync(join(tmpdir(), 'launcher-'));
let launcher: Launcher;
let stack: StackDescription;

/** The tests of this file are one story and run in order: a start takes seconds. */
beforeAll(async () => {
  give(SAFE);
  launcher = new Launcher(dataDir);
  stack = await launcher.ready();
});
afterAll(async () => {
  launcher.signal('SIGKILL');
  await launcher.exited;
  await waitFor('nothing is left', () => processesOf(dataDir, stack).length === 0, PATIENCE_MS);
  rmSync(dataDir, { recursive: true });
});

/** Gives the services these variables from their next start on. */
function give(variables: Record<string, string>): void {
  writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify({ ...loadSecrets(dataDir), variables }));
}

/** Asks the doctor; returns the exit code and what is found, wrong things marked. */
async function examined(): Promise<{ code: number; found: string[] }> {
  const { code, stdout } = await run([...stack.operator, 'doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { what: string; wrong: boolean }[] };
  return { code, found: findings.map(({ what, wrong }) => `${wrong ? 'wrong: ' : ''}${what}`) };
}

/** Waits until each partition has a process that reads it. */
const allIsRead = (): Promise<unknown> =>
  waitFor(
    'all durables are read',
    async () => (await examined()).found.every((what) => !what.includes('Nobody reads')),
    PATIENCE_MS,
  );

test('the doctor says that all is well, and what was looked at', async () => {
  await allIsRead();
  expect(await run([...stack.operator, 'doctor'])).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^All well\. Looked at 6 processes on Node [\d.]+ \(([a-z-]+ \d+\.\d+\.\d+(, )?){6}\): configuration, .*\.\n$/,
    ),
    stderr: '',
  });
});

test('the doctor says what was changed on NATS', async () => {
  const pass = stack.natsUsers?.[OWNER] ?? '';
  const connection = await connect({ servers: stack.nats, user: OWNER, pass });
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(STREAMS.events);
  await manager.streams.update(STREAMS.events, { max_age: config.max_age * 2 });
  const left = { durable_name: 'left-behind', ack_policy: AckPolicy.Explicit };
  await manager.consumers.add(STREAMS.events, left);
  const { code, found } = await examined();
  await manager.streams.update(STREAMS.events, { max_age: config.max_age });
  await manager.consumers.delete(STREAMS.events, left.durable_name);
  await connection.close();
  expect({ code, found }).toEqual({
    code: 1,
    found: [
      'wrong: The stream EVENTS stays as it is: max_age is 172800000000000, not 86400000000000.',
      expect.stringMatching(
        /^The durable left-behind of the stream EVENTS belongs to no service; \d+ messages/,
      ),
    ],
  });
});

test('the doctor says who does not answer', async () => {
  const pid = launcher.pidOf('billing') as number;
  process.kill(pid, 'SIGSTOP');
  const { code, found } = await examined().finally(() => process.kill(pid, 'SIGCONT'));
  expect({ code, found }).toEqual({ code: 1, found: ['wrong: billing does not answer.'] });
});

test('the doctor says what production would refuse, which keys stand beside others, and no value of a variable', async () => {
  const previous = randomBytes(32).toString('base64');
  const unsafe = { SVC_MODE: 'development', DATABASE_POOL: '100', CREDENTIALS_KEY_PREVIOUS: previous };
  give({ ...SAFE, ...unsafe, WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*' });
  await restartServices();
  await allIsRead();
  const { code, found } = await examined();
  expect(code).toBe(1);
  expect(found.sort()).toEqual([
    expect.stringMatching(/^session-worker \(.*\) has had CREDENTIALS_KEY_PREVIOUS since 20/),
    'wrong: 6 processes open up to 606 connections; their database has 297 for them.',
    expect.stringMatching(/^wrong: SVC_MODE is development: billing, limits, /),
    expect.stringMatching(/^wrong: WEBHOOK_ALLOWED_ORIGINS must not hold origins with any port/),
  ]);
  const { stdout } = await run([...stack.operator, 'doctor']);
  expect(stdout).toContain('✗ SVC_MODE is development');
  expect(stdout).toContain(
    'Do: Set WEBHOOK_ALLOWED_ORIGINS of session-worker, assistant, webhook-dispatcher, api-gateway.',
  );
  const { variables: _, ...secrets } = loadSecrets(dataDir);
  for (const value of [previous, stack.postgres, ...Object.values(secrets)])
    expect(stdout).not.toContain(value);
});

/** Ends all services; the launcher starts them again, with the variables that are given by then. */
async function restartServices(): Promise<void> {
  for (const { name } of SERVICES) process.kill(launcher.pidOf(name) as number, 'SIGKILL');
  for (const { name } of SERVICES)
    await launcher.until(`${name} runs again`, () => launcher.output.includes(`${name} runs again`));
}
