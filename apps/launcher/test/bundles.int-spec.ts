import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalServer, NATS_RIGHTS, natsUsers, startNats, startPostgres } from '@svc/local-servers';
import { startProcess, waitFor } from '@svc/testing';
import { ROOT } from '../src/config.js';
import { GATEWAY, SERVICES, SIMULATOR } from '../src/services/services.js';

/** Functions of the build, which have no types. */
interface Build {
  copyProgram(app: string, folder: string): Promise<void>;
  runtimeOf(app: string): Promise<Runtime>;
}
interface Runtime {
  needs: string[];
  ports: Record<string, number>;
  folders?: Record<string, string>;
}
const { copyProgram, runtimeOf } = (await import('../../../tools/runtime/runtime.mjs' as string)) as Build;

const run = promisify(execFile);
const PASSWORD = randomBytes(16).toString('hex');
const passwords = Object.fromEntries(Object.keys(NATS_RIGHTS).map((user) => [user, PASSWORD]));
const directory = mkdtempSync(join(tmpdir(), 'svc-bundles-'));
const temporary = (name: string): string => mkdtempSync(join(directory, `${name}-`));

let postgres: LocalServer;
let nats: LocalServer;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: temporary('postgres'), settings: { fsync: 'off' } }),
    startNats({ dataDir: temporary('nats'), config: natsUsers({ passwords }) }),
  ]);
});
afterAll(async () => {
  await Promise.all([postgres.stop(), nats.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

/** Gives a program what the table of its app asks for, and nothing else: the rest is as it is in production. */
async function environmentOf(app: string): Promise<Record<string, string>> {
  const { needs, ports, folders = {} } = await runtimeOf(app);
  const servers: Record<string, string> = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_USER: app,
    NATS_PASSWORD: PASSWORD,
  };
  return Object.fromEntries([
    ...needs.map((name) => [name, servers[name] ?? randomBytes(32).toString('base64')]),
    ...Object.keys(folders).map((name) => [name, temporary('written')]),
    ...Object.keys(ports).map((name) => [name, '0']),
  ]) as Record<string, string>;
}

const versionOf = (app: string): string =>
  (JSON.parse(readFileSync(join(ROOT, 'apps', app, 'package.json'), 'utf8')) as { version: string }).version;

test.each(SERVICES.map(({ name }) => name))(
  '%s runs with its bundle, and the files and variables of its table alone: it migrates, is ready, and ends by itself',
  async (app) => {
    const folder = temporary(app);
    await copyProgram(app, folder);
    const env = await environmentOf(app);
    await run(process.execPath, [join(folder, 'dist/bundle/migrate.js')], { env, cwd: folder });
    const service = await startProcess(join(folder, 'dist/bundle/main.js'), env);
    const answer = await fetch(`http://127.0.0.1:${String(service.ready['opsPort'])}/health/ready`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', version: versionOf(app) }]);
    const line = `"version":"${versionOf(app)}","msg":"${app} is ready"`;
    // The line and the message that it is ready come by two ways.
    await waitFor('its log to say that it is ready', () => service.output().includes(line));
    const pages = app === GATEWAY ? ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'] : [];
    for (const page of pages)
      expect((await fetch(`http://127.0.0.1:${String(service.ready['port'])}${page}`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  },
);

test('the simulator runs with its bundle alone: it is ready, and ends by itself', async () => {
  const folder = temporary(SIMULATOR);
  await copyProgram(SIMULATOR, folder);
  const simulator = await startProcess(join(folder, 'dist/bundle/main.js'), await environmentOf(SIMULATOR));
  expect(simulator.ready).toMatchObject({ type: 'ready', websocket: expect.any(String) });
  expect(await simulator.stop()).toBe(0);
});
