import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forget, prepareDataDir } from './data-dir.js';
import { LogFile } from './log-file.js';
import { readJson, writePrivateJson } from './private-file.js';
import { loadSecrets } from './secrets.js';

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'launcher-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('the secrets of a stack', () => {
  test('are invented once, kept, and readable by nobody else', () => {
    const secrets = loadSecrets(dataDir);
    expect(loadSecrets(dataDir)).toEqual(secrets);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(secrets.keyPepper.length).toBeGreaterThanOrEqual(32);
    for (const key of [secrets.secretsKey, secrets.credentialsKey])
      expect(key).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  test('differ from those of every other stack', () => {
    const first = loadSecrets(dataDir);
    forget(dataDir, false);
    const values = [...Object.values(first), ...Object.values(loadSecrets(dataDir))];
    expect(new Set(values).size).toBe(values.length);
  });

  test('of an earlier version stay when one more is needed', () => {
    writePrivateJson(join(dataDir, 'secrets.json'), { keyPepper: 'kept', unknown: 'kept too' });
    expect(loadSecrets(dataDir)).toMatchObject({ keyPepper: 'kept' });
    expect(readJson(join(dataDir, 'secrets.json'))).toMatchObject({
      unknown: 'kept too',
      stackId: expect.any(String),
    });
  });

  test('are not invented anew over a damaged file', () => {
    writeFileSync(join(dataDir, 'secrets.json'), '{"keyPep');
    expect(() => loadSecrets(dataDir)).toThrow(/secrets\.json is damaged/);
  });
});

test('others see neither the names of files nor those of logs', () => {
  const made = join(dataDir, 'new');
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  prepareDataDir(made);
  new LogFile(made, 'billing');
  // The user of root's database passes through.
  expect(modeOf(made)).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  for (const name of ['logs', 'media']) expect(modeOf(join(made, name))).toBe(0o700);
  const open = join(dataDir, 'old', 'logs');
  mkdirSync(open, { recursive: true, mode: 0o755 });
  new LogFile(join(dataDir, 'old'), 'billing');
  expect(modeOf(open)).toBe(0o700);
});

describe('forgetting', () => {
  test('deletes what starts left and nothing else', () => {
    loadSecrets(dataDir);
    for (const name of ['postgres', 'nats', 'logs', 'photos']) mkdirSync(join(dataDir, name));
    for (const name of ['demo.json', 'stack.json', 'simulator.ndjson', 'simulator-ca.pem', 'thesis.txt'])
      writeFileSync(join(dataDir, name), '');
    forget(dataDir, false);
    expect(readdirSync(dataDir).sort()).toEqual(['photos', 'thesis.txt']);
  });

  test("keeps the secrets without which the user's own database could not be read", () => {
    loadSecrets(dataDir);
    forget(dataDir, true);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });
});

test('a folder that cannot be made is refused in one sentence with the way out', () => {
  writeFileSync(join(dataDir, 'file'), '');
  expect(() => prepareDataDir(join(dataDir, 'file', 'below'))).toThrow(/cannot be used .*DATA_DIR=/);
});

test('the state of another user is refused, so that it stays usable to its owner', () => {
  loadSecrets(dataDir);
  prepareDataDir(dataDir);
  const getuid = jest.spyOn(process, 'getuid').mockReturnValue(4711);
  expect(() => prepareDataDir(dataDir)).toThrow(/belongs to user \d+.*Start as that user/);
  getuid.mockRestore();
});

test('a private file is replaced as a whole and leaves nothing beside it', () => {
  const path = join(dataDir, 'some.json');
  writePrivateJson(path, { a: 1 });
  writePrivateJson(path, { b: 2 });
  expect(readdirSync(dataDir)).toEqual(['some.json']);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ b: 2 });
});

describe('a log', () => {
  test('is put aside at the start when it has grown large', () => {
    mkdirSync(join(dataDir, 'logs'));
    const path = join(dataDir, 'logs', 'billing.log');
    writeFileSync(path, 'x'.repeat(10 * 1024 * 1024 + 1));
    new LogFile(dataDir, 'billing').open();
    expect(statSync(path).size).toBe(0);
    expect(statSync(`${path}.1`).size).toBeGreaterThan(10 * 1024 * 1024);
  });

  test('tells the last words of this run, not of the one before', () => {
    const log = new LogFile(dataDir, 'billing');
    writeFileSync(log.path, 'before\n');
    writeFileSync(log.open(), 'first\nlast\n');
    expect(log.lastLines()).toEqual(['first', 'last']);
    expect(log.lastLines(1)).toEqual(['last']);
    log.open();
    expect(log.lastLines()).toEqual([]);
  });
});
