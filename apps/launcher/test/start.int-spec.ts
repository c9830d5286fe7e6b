import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../src/config.js';
import { SERVICES } from '../src/services/services.js';
import { loadSecrets } from '../src/state/secrets.js';
import { environmentOf, Launcher, operatorOf, processesOf, run, type WholeStack } from './launcher.js';

const SERVICE_NAMES = SERVICES.map(({ name }) => name);
/** Longest wait for what takes seconds on an idle machine, in ms. */
const PATIENCE_MS = 60_000;

const dataDir = mkdtempSync(join(tmpdir(), 'launcher-'));
let launcher: Launcher;
let stack: WholeStack;

/** The tests of this file are one story and run in order: a start takes seconds. */
beforeAll(async () => {
  launcher = new Launcher(dataDir, { CUSTOMER_SECRET: 'of the person who starts it' });
  stack = await launcher.ready();
});
afterAll(async () => {
  launcher.signal('SIGKILL');
  await launcher.exited;
  await waitFor('nothing is left', () => processesOf(dataDir, stack).length === 0, PATIENCE_MS);
  rmSync(dataDir, { recursive: true });
});

const live = async (): Promise<number> => (await fetch(`${stack.gateway}/openapi.json`)).status;

describe('a started stack', () => {
  test('describes itself in stack.json, readable by its owner alone', () => {
    expect(statSync(join(dataDir, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(stack).toEqual({
      gateway: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      operator: [process.execPath, expect.stringMatching(/^\//), 'operator', '--data-dir', dataDir],
      platform: {
        websocket: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\//),
        control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        trustRoot: expect.stringMatching(/^[0-9a-f]{64}$/),
        ca: join(dataDir, 'simulator-ca.pem'),
        llm: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/llm\/v1$/),
      },
      postgres: expect.stringMatching(/^postgres:\/\//),
      nats: expect.stringMatching(/^nats:\/\/127\.0\.0\.1:\d+$/),
      natsUsers: { operator: expect.stringMatching(/^\S{43}$/), owner: expect.stringMatching(/^\S{43}$/) },
      webhooks: {
        delaysMs: [0, 30_000, 120_000, 600_000, 3_600_000],
        timeoutMs: 10_000,
        allowedOrigins: ['http://127.0.0.1:*', 'http://localhost:*'],
      },
      demo: {
        testKey: expect.stringMatching(/^rk_test_/),
        tenantId: expect.any(String),
        apiKey: expect.any(String),
        email: expect.any(String),
        password: expect.any(String),
      },
      processes: expect.any(Array),
    });
    expect(readFileSync(join(dataDir, 'simulator-ca.pem'), 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(stack.processes.map(({ name }) => name).sort()).toEqual(
      [...SERVICE_NAMES, 'nats-server', 'postgres', 'simulator'].sort(),
    );
  });

  test('lets those who work through queues give way to those who answer', () => {
    const givesWay = (name: string): boolean => getPriority(launcher.pidOf(name)) > 0;
    const names = [...SERVICE_NAMES, 'simulator'];
    expect(names.filter(givesWay)).toEqual(['session-worker', 'simulator']);
  });

  test('answers the demo key, which the screen shows', async () => {
    const headers = { authorization: `Bearer ${stack.demo.apiKey}` };
    expect((await fetch(`${stack.gateway}/v1/sessions`, { headers })).status).toBe(200);
    expect(launcher.output).toContain(stack.demo.apiKey);
  });

  test('gives every service only what it needs', () => {
    for (const name of [...SERVICE_NAMES, 'simulator']) {
      const environment = environmentOf(launcher.pidOf(name) as number);
      expect(Object.keys(environment)).toContain('PATH');
      expect(environment).not.toHaveProperty('CUSTOMER_SECRET');
      if (name !== 'api-gateway') expect(environment).not.toHaveProperty('KEY_PEPPER');
      if (name !== 'session-worker') expect(environment).not.toHaveProperty('CREDENTIALS_KEY');
    }
  });

  test('shows commands that work when all of them are pasted at once', async () => {
    const [, commands = ''] = /in another terminal:(.*)Ctrl-C stops/s.exec(launcher.output) ?? [];
    const { code, stdout } = await run(['bash', '-c', commands]);
    expect(code).toBe(0);
    expect(stdout).toContain('"status":"CONNECTED"');
    expect(stdout).toMatch(/"status":"(SENT|DELIVERED|READ)"/);
  });

  test('refuses a second start on its folder, naming the process and the ways out', async () => {
    const second = new Launcher(dataDir);
    expect(await second.exited).toBe(1);
    expect(second.output.trim()).toBe(
      `The stack of ${dataDir} runs already, as process ${launcher.pid}. ` +
        `Stop it with Ctrl-C or "kill ${launcher.pid}", or give this one another DATA_DIR.`,
    );
    expect(await live()).toBe(200);
  });

  test('refuses a second start on its port, naming the variable', async () => {
    const port = new URL(stack.gateway).port;
    const second = new Launcher(join(dataDir, 'other'), { GATEWAY_PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.output.trim()).toBe(
      `Port ${port} is taken by another program. Choose another one: GATEWAY_PORT=${Number(port) + 1} npm start`,
    );
  });
});

describe('the operator', () => {
  test('is reached from any folder by the command line of stack.json', async () => {
    const { code, stdout, stderr } = await run([...stack.operator, 'tenants', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { items } = JSON.parse(stdout) as { items: unknown[] };
    expect(items).toEqual([
      expect.objectContaining({ tenantId: stack.demo.tenantId, plan: 'GROWTH', subscription: 'ACTIVE' }),
      expect.objectContaining({ sandboxOf: stack.demo.tenantId, plan: 'GROWTH', subscription: 'ACTIVE' }),
    ]);
  });

  test('makes a tenant whose key works, and stops it from sending by its subscription', async () => {
    const operator = operatorOf();
    const env = { DATA_DIR: dataDir };
    const made = await run([...operator, 'tenants', 'create', '--name', 'Acme', '--plan', 'STARTER'], env);
    const tenant = JSON.parse(made.stdout) as { tenantId: string; apiKey: string; kid: string };
    expect(tenant).toMatchObject({ dashboard: { email: expect.any(String), password: expect.any(String) } });
    const create = (): Promise<Response> =>
      fetch(`${stack.gateway}/v1/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'first' }),
      });
    expect((await create()).status).toBe(201);

    const set = await run([...operator, 'subscriptions', 'set', tenant.tenantId, 'CANCELED'], env);
    expect(JSON.parse(set.stdout)).toMatchObject({ status: 'CANCELED', active: false });
    await waitFor('the gateway knows it', async () => (await create()).status === 402, PATIENCE_MS);

    const log = await run([...operator, 'audit-log', tenant.tenantId], env);
    expect(JSON.parse(log.stdout)).toEqual({ items: expect.any(Array) });

    const operated = { ...env, OPERATOR_NAME: 'Ada' };
    const created = await run([...operator, 'keys', 'create', tenant.tenantId], operated);
    const key = JSON.parse(created.stdout) as { kid: string; apiKey: string };
    const opens = async (): Promise<number> =>
      (await fetch(`${stack.gateway}/v1/sessions`, { headers: { authorization: `Bearer ${key.apiKey}` } }))
        .status;
    expect(await opens()).toBe(200);
    const listed = await run([...operator, 'keys', 'list', tenant.tenantId], env);
    expect((JSON.parse(listed.stdout) as { items: { kid: string }[] }).items.map(({ kid }) => kid)).toEqual([
      key.kid,
      tenant.kid,
    ]);
    const foreign = await run([...operator, 'keys', 'revoke', stack.demo.tenantId, key.kid], env);
    expect([foreign.code, JSON.parse(foreign.stdout)]).toEqual([
      1,
      expect.objectContaining({ code: 'FORBIDDEN' }),
    ]);
    const revoked = await run([...operator, 'keys', 'revoke', tenant.tenantId, key.kid], operated);
    expect([revoked.code, await opens()]).toEqual([0, 401]);

    const aged = await run([...operator, 'keys', 'age', tenant.kid, '--hours', '2'], env);
    expect(JSON.parse(aged.stdout)).toMatchObject({ kid: tenant.kid });
  });

  test('moves domain time and brings it back', async () => {
    const moved = await run([...stack.operator, 'clock', 'set', '2040-01-01T00:00:00Z']);
    expect(JSON.parse(moved.stdout)).toMatchObject({ now: expect.stringMatching(/^2040-01-01T00:00/) });
    const back = await run([...stack.operator, 'clock', 'set', 'real']);
    expect(JSON.parse(back.stdout)).toMatchObject({ offsetMs: 0 });
  });

  test('answers a refusal with the error body, words for people apart, and 1', async () => {
    const tenantId = '0198c0de-0000-7000-8000-000000000000';
    const refused = await run([...stack.operator, 'subscriptions', 'set', tenantId, 'ACTIVE']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      code: 'TENANT_NOT_FOUND',
      message: expect.any(String),
    });
    expect(refused.stderr).toMatch(/^TENANT_NOT_FOUND: /);
  });
});

describe('a process that is killed', () => {
  const all = [...SERVICE_NAMES, 'simulator', 'nats-server', 'postgres'];

  // All services die together, since a start takes seconds; the servers alone, since every service needs them.
  test.each([[[...SERVICE_NAMES, 'simulator']], [['nats-server']], [['postgres']]])(
    '%j: is started again and said so',
    async (names) => {
      const before = new Map(names.map((name) => [name, launcher.pidOf(name) as number]));
      for (const pid of before.values()) process.kill(pid, 'SIGKILL');
      for (const [name, pid] of before) {
        await launcher.until(`${name} runs again`, () => {
          const now = launcher.pidOf(name);
          return now !== pid && launcher.output.includes(`${name} runs again (process ${now})`);
        });
        expect(launcher.output).toContain(`${name} ended (SIGKILL)`);
      }
      expect(
        launcher
          .stack()
          .processes.map(({ name }) => name)
          .sort(),
      ).toEqual(all.sort());
    },
  );

  test('is started from the copy of the repository that roots.json names, and without it from this one', async () => {
    const copy = join(dataDir, 'copy');
    const program = 'apps/billing/dist/bundle/main.js';
    cpSync(join(ROOT, 'apps/billing/dist'), join(copy, 'apps/billing/dist'), { recursive: true });
    const replaced = async (): Promise<string> => {
      const pid = launcher.pidOf('billing') as number;
      process.kill(pid, 'SIGTERM');
      await launcher.until('billing runs again', () => ![pid, undefined].includes(launcher.pidOf('billing')));
      return readFileSync(`/proc/${launcher.pidOf('billing')}/cmdline`, 'utf8');
    };
    writeFileSync(join(dataDir, 'roots.json'), JSON.stringify({ billing: copy }));
    expect(await replaced()).toContain(join(copy, program));
    rmSync(join(dataDir, 'roots.json'));
    expect(await replaced()).toContain(join(ROOT, program));
  });

  test('comes back at the address it had', async () => {
    expect({ ...launcher.stack(), processes: [] }).toEqual({ ...stack, processes: [] });
    await waitFor('the gateway answers', async () => (await live()) === 200, PATIENCE_MS);
    expect((await fetch(`${stack.platform.control}/magic-numbers`)).status).toBe(200);
    await waitFor(
      'the operator is answered',
      async () => {
        const { code } = await run([...stack.operator, 'tenants', 'list']);
        return code === 0;
      },
      PATIENCE_MS,
    );
  });
});

describe('the end', () => {
  test('by kill -9 leaves nothing running either, and the next start finds all that was there', async () => {
    launcher.signal('SIGKILL');
    await launcher.exited;
    await waitFor('nothing is left', () => processesOf(dataDir, stack).length === 0, PATIENCE_MS);
    const asked = await run([...stack.operator, 'tenants', 'list']);
    expect(JSON.parse(asked.stdout)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });

    launcher = new Launcher(dataDir);
    const again = await launcher.ready();
    expect(again.demo).toEqual(stack.demo);
    expect(again.platform.trustRoot).toBe(stack.platform.trustRoot);
    stack = again;
  });

  test('by a signal leaves nothing running and no stack.json, and is a success', async () => {
    expect(await launcher.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(processesOf(dataDir, stack)).toEqual([]);
    const asked = await run([...stack.operator, 'tenants', 'list']);
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('No stack runs'),
    });
  });

  test('of a start that is not through yet leaves nothing, and what was to be forgotten is gone', async () => {
    const secrets = loadSecrets(dataDir);
    const early = new Launcher(dataDir, {}, ['--fresh']);
    await early.until('the database is there', () => early.output.includes('✓ PostgreSQL'));
    expect(await early.stop()).toBe(0);
    expect(processesOf(dataDir, stack)).toEqual([]);
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(false);
    expect(loadSecrets(dataDir)).not.toEqual(secrets);
  });
});
