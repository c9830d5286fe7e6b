import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ServiceProcess, startProcess, startTestNats, type TestNats, waitFor } from '@svc/test-servers';

const MAIN = fileURLToPath(new URL('./processes/small-main.mjs', import.meta.url));

let nats: TestNats;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(async () => {
  await Promise.all(running.map((process) => process.stop('SIGKILL')));
  await nats.stop();
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const servers = { DATABASE_URL: 'postgres://unused', NATS_URL: nats.url };
  const service = await startProcess(MAIN, { ...servers, SVC_MODE: 'development', OPS_PORT: '0', ...env });
  running.push(service);
  return service;
}

const ask = ({ ready }: ServiceProcess, port: string, path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${String(ready[port])}${path}`);

const lines = (service: ServiceProcess): Record<string, unknown>[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a service process', () => {
  test('says when it is ready and where, and ends with 0 when it is asked to', async () => {
    const service = await start();
    expect(service.ready).toEqual({ type: 'ready', port: expect.any(Number), opsPort: expect.any(Number) });
    for (const port of ['port', 'opsPort']) {
      const answer = await ask(service, port, '/anything');
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND', meta: {} });
    }
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  test('shows probes on a port of their own, and not to customers', async () => {
    const service = await start();
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect((await ask(service, 'opsPort', path)).status).toBe(200);
      expect((await ask(service, 'port', path)).status).toBe(404);
    }
  });

  test('is not ready from SIGTERM on, answers what comes for so long as it was told, and then ends', async () => {
    const service = await start({ PRE_STOP_MS: '2000' });
    const ended = service.stop('SIGTERM');
    const refusal = await waitFor('not to be ready', async () => {
      const answer = await ask(service, 'opsPort', '/health/ready');
      return answer.status === 503 ? answer : undefined;
    });
    expect(await refusal.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect((await ask(service, 'port', '/anything')).status).toBe(404);
    expect((await ask(service, 'opsPort', '/health/live')).status).toBe(200);
    expect(await ended).toBe(0);
  });

  test('names all that is wrong with its configuration, shows no value, and ends with 1', async () => {
    const started = start({ DATABASE_URL: 'canary', NATS_URL: 'canary', LOG_LEVEL: 'canary' });
    const error = await started.catch((thrown: unknown) => thrown as Error);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).toContain('ended with 1');
    expect(message).toContain('small cannot start. Wrong configuration:');
    for (const name of ['DATABASE_URL', 'NATS_URL', 'LOG_LEVEL']) expect(message).toContain(name);
    expect(message).not.toContain('canary');
  });

  test('of production names all that is unsafe in one answer, and how it becomes safe', async () => {
    const unsafe = { SVC_MODE: 'production', NATS_URL: 'nats://nats.example.com:4222' };
    const error = await start(unsafe).catch((thrown: unknown) => thrown as Error);
    for (const sentence of [
      /DATABASE_URL must end in \?sslmode=verify-full/,
      /NATS_URL must be tls:\/\//,
      /NATS_URL must be given with NATS_USER and NATS_PASSWORD/,
    ])
      expect((error as Error).message).toMatch(sentence);
  });
});

test('a service process that NATS refuses after a change of passwords ends by itself, so that it is started with the new one', async () => {
  const withPassword = (password: string): string =>
    `authorization { users = [{ user: small, password: ${password} }] }`;
  const guarded = await startTestNats(withPassword('before'));
  const access = { NATS_URL: guarded.url, NATS_USER: 'small', NATS_PASSWORD: 'before' };
  const service = await start(access);
  await guarded.restart({ config: withPassword('after') });
  await waitFor('its end', () => service.output().includes('NATS refuses this process'));
  expect(await service.stop('SIGTERM')).toBe(0);
  await expect(start(access)).rejects.toThrow('Authorization Violation');
  await guarded.stop();
});

describe('its output', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await start({ LOG_LEVEL: 'debug' });
    await waitFor('its last words', () => service.output().includes('unhandled rejection'));
  });

  test('is JSON lines with time, name and process', () => {
    expect(lines(service).length).toBe(service.output().trim().split('\n').length);
    expect(lines(service)[0]).toMatchObject({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'small',
      pid: service.pid,
    });
  });

  test('tells that a library wrote to the console, and keeps nothing of its words', () => {
    const warnings = lines(service).filter(({ msg }) => String(msg).startsWith('a library wrote'));
    expect(warnings.map(({ method }) => method)).toEqual(['log', 'error']);
    expect(service.output()).not.toContain('canary');
  });

  test('holds of a failed statement its code only', () => {
    const failed = lines(service).find(({ msg }) => msg === 'a statement failed');
    expect(failed?.['err']).toEqual({ type: 'Error', code: '23505', severity: 'ERROR' });
  });

  test('tells of a promise nobody waited for, and the process lives on', () => {
    const warnings = lines(service).find(({ msg }) => msg === 'unhandled rejection');
    expect(warnings?.['err']).toMatchObject({ message: 'nobody waits for this' });
    expect(() => process.kill(service.pid, 0)).not.toThrow();
  });
});
