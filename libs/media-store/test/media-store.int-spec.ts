import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '@svc/service';
import { type MediaStore, MediaStoreConfig, openMediaStore } from '../src/index.js';
import { Spool } from '../src/spool.js';
import { ACCESS_KEY, REGION, S3Server, SECRET_KEY } from './s3-server.js';

const MAX = 1_000_000;
const SERVERS = { DATABASE_URL: 'postgres://d', NATS_URL: 'nats://n', SVC_MODE: 'development' };
let directory: string;
let s3: S3Server;

const s3Variables = (): Record<string, string> => ({
  MEDIA_S3_ENDPOINT: s3.endpoint,
  MEDIA_S3_BUCKET: 'media',
  MEDIA_S3_REGION: REGION,
  MEDIA_S3_ACCESS_KEY: ACCESS_KEY,
  MEDIA_S3_SECRET_KEY: SECRET_KEY,
});
const open = (env: Record<string, string> = {}): Promise<MediaStore> =>
  openMediaStore(loadConfig(MediaStoreConfig, { ...SERVERS, MEDIA_DIR: directory, ...env }));

async function* chunks(bytes: Buffer, failure?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  if (failure) throw failure;
}

beforeAll(async () => {
  s3 = await S3Server.start();
});
afterAll(() => s3.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'media-store-'));
  s3.broken = undefined;
});
afterEach(() => rm(directory, { recursive: true }));

describe.each([
  ['a folder', () => ({})],
  ['an S3 API', s3Variables],
])('a store in %s', (_where, variables) => {
  let store: MediaStore;
  beforeEach(async () => {
    store = await open(variables());
  });
  const read = async (id: string): Promise<Buffer | undefined> => {
    const found = await store.get(id);
    return found && buffer(found.stream);
  };

  test('gives back what it was given, and says how long it is and what its digest is', async () => {
    const [id, bytes] = [randomUUID(), randomBytes(100_000)];
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await store.put(id, chunks(bytes), MAX)).toEqual({ size: bytes.length, sha256 });
    const found = await store.get(id);
    expect(found?.size).toBe(bytes.length);
    expect(found && (await buffer(found.stream))).toEqual(bytes);
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('takes a file that is empty, and one that lies in memory', async () => {
    const [empty, short] = [randomUUID(), randomUUID()];
    expect(await store.put(empty, [], MAX)).toMatchObject({ size: 0 });
    await store.put(short, [Buffer.from('short')], MAX);
    expect(await read(empty)).toEqual(Buffer.alloc(0));
    expect(String(await read(short))).toBe('short');
  });

  test('replaces a file that is stored again', async () => {
    const id = randomUUID();
    await store.put(id, [Buffer.from('first')], MAX);
    await store.put(id, [Buffer.from('second')], MAX);
    expect(String(await read(id))).toBe('second');
  });

  test('keeps nothing of a file that is too large, or whose source breaks off', async () => {
    const id = randomUUID();
    await expect(store.put(id, chunks(randomBytes(5_001)), 5_000)).rejects.toMatchObject({
      name: 'MediaTooLargeError',
      maxBytes: 5_000,
    });
    const broken = new Error('cut off');
    await expect(store.put(id, chunks(randomBytes(3_000), broken), MAX)).rejects.toBe(broken);
    expect(await store.get(id)).toBeUndefined();
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('forgets what is deleted, also when it was never there', async () => {
    const id = randomUUID();
    await store.put(id, [Buffer.from('x')], MAX);
    await store.delete(id);
    await store.delete(id);
    expect(await store.get(id)).toBeUndefined();
  });

  test('takes no id that could lead elsewhere', async () => {
    await expect(store.put('../../etc/passwd', [Buffer.from('x')], MAX)).rejects.toThrow('UUID');
    await expect(store.get('../secrets.json')).rejects.toThrow('UUID');
  });
});

describe('a file that a writer left half-written', () => {
  const leave = async (name: string, ageMs: number): Promise<void> => {
    const path = join(directory, 'incoming', name);
    await writeFile(path, 'x');
    const at = new Date(Date.now() - ageMs);
    await utimes(path, at, at);
  };

  test('is deleted at the next start where nobody has written it for a quarter of an hour', async () => {
    await open();
    await leave('old', 16 * 60_000);
    await leave('fresh', 14 * 60_000);
    await open();
    expect(await readdir(join(directory, 'incoming'))).toEqual(['fresh']);
  });

  test('is deleted without a start, too', async () => {
    await Spool.open(join(directory, 'incoming'), 10);
    await leave('old', 16 * 60_000);
    await leave('fresh', 0);
    const left = () => readdir(join(directory, 'incoming'));
    while ((await left()).length > 1) await setImmediate();
    expect(await left()).toEqual(['fresh']);
  });
});

test('a store that is away can be asked again', async () => {
  const away = { code: 'UPSTREAM_UNAVAILABLE' };
  const store = await open(s3Variables());
  s3.broken = 503;
  await expect(store.put(randomUUID(), [Buffer.from('x')], MAX)).rejects.toMatchObject(away);
  await expect(store.get(randomUUID())).rejects.toMatchObject(away);
  await expect(store.delete(randomUUID())).rejects.toMatchObject(away);
  const nobody = await open({ ...s3Variables(), MEDIA_S3_ENDPOINT: 'http://127.0.0.1:1' });
  await expect(nobody.get(randomUUID())).rejects.toMatchObject(away);
});

test('a folder that is gone has lost nothing: it is away', async () => {
  const [store, id] = [await open(), randomUUID()];
  await store.put(id, [Buffer.from('x')], MAX);
  await rename(directory, `${directory}-aside`);
  await expect(store.get(id)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  await rename(`${directory}-aside`, directory);
  expect((await store.get(id))?.size).toBe(1);
});

test('only those who share the folder see what is in it', async () => {
  const id = randomUUID();
  directory = join(directory, 'media');
  const store = await open();
  await store.put(id, [Buffer.from('x')], MAX);
  const modeOf = async (...path: string[]): Promise<number> =>
    (await stat(join(directory, ...path))).mode & 0o777;
  for (const path of [[], ['incoming'], [id.slice(0, 2)]]) expect(await modeOf(...path)).toBe(0o750);
  expect(await modeOf(id.slice(0, 2), id)).toBe(0o640);
});

test('an S3 API takes nothing under a wrong key', async () => {
  const store = await open({ ...s3Variables(), MEDIA_S3_SECRET_KEY: 'another' });
  await expect(store.put(randomUUID(), [Buffer.from('x')], MAX)).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
  });
  expect(s3.refused.pop()).toBe('wrong signature');
});

test('half a configuration stops the service, and names what is missing', () => {
  const half = { ...SERVERS, MEDIA_DIR: directory, MEDIA_S3_ENDPOINT: 'ftp://x' };
  expect(() => loadConfig(MediaStoreConfig, half)).toThrow(
    /MEDIA_S3_ENDPOINT must be an http\(s\) URL[^]*MEDIA_S3_BUCKET[^]*MEDIA_S3_ACCESS_KEY[^]*MEDIA_S3_SECRET_KEY/,
  );
  expect(() => loadConfig(MediaStoreConfig, SERVERS)).toThrow('MEDIA_DIR is missing');
});
