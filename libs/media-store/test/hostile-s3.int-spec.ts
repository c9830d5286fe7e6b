import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { S3MediaStore } from '../src/s3-media-store.js';
import { Spool } from '../src/spool.js';
import { ACCESS_KEY, REGION, S3Server, SECRET_KEY } from './s3-server.js';

const PATIENCE_MS = 500;
const AWAY = { code: 'UPSTREAM_UNAVAILABLE' };

let directory: string;
let s3: S3Server;
let store: S3MediaStore;

beforeAll(async () => {
  s3 = await S3Server.start();
  directory = await mkdtemp(join(tmpdir(), 'hostile-s3-'));
  const place = { endpoint: s3.endpoint, bucket: 'media', region: REGION, accessKey: ACCESS_KEY };
  const spool = await Spool.open(directory);
  store = new S3MediaStore({ ...place, secretKey: SECRET_KEY }, spool, PATIENCE_MS);
});
afterEach(() => (s3.harm = undefined));
afterAll(async () => {
  await s3.stop();
  await rm(directory, { recursive: true });
});

const every = (socket: Socket, ms: number, bytes: Buffer): void => {
  const timer = setInterval(() => socket.writableLength === 0 && socket.write(bytes), ms);
  socket.on('error', () => undefined).on('close', () => clearInterval(timer));
};
const head = (length: number): string => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
const HARM: Record<string, (socket: Socket) => void> = {
  'says nothing': () => undefined,
  'never ends its head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    every(socket, 1, Buffer.alloc(10_000, 'a'));
  },
  'hangs up': (socket) => void socket.destroy(),
  'hangs up in the middle of a file': (socket) =>
    void socket.write(`${head(1_000)}half`, () => socket.destroy()),
  'stops in the middle of a file': (socket) => void socket.write(`${head(1_000)}half`),
  'sends a file a byte now and then': (socket) => {
    socket.write(head(1_000_000));
    every(socket, 10, Buffer.from('a'));
  },
  'sends without an end, and says none': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    every(socket, 1, Buffer.alloc(100_000));
  },
};

const closed = async (): Promise<void> => {
  while ((await s3.open()) > 0) await new Promise((done) => setImmediate(done));
};

describe.each(Object.entries(HARM))('an S3 API that %s', (_what, harm) => {
  test('is away within its time, and its connection is gone', async () => {
    s3.harm = harm;
    const begin = performance.now();
    const read = async (): Promise<unknown> => {
      const found = await store.get(randomUUID());
      return found && buffer(found.stream);
    };
    await expect(read()).rejects.toMatchObject(AWAY);
    expect(performance.now() - begin).toBeLessThan(4 * PATIENCE_MS);
    // The client may have opened another one meanwhile, which it closes when nobody asks for anything.
    await closed();
  });
});

test('of an S3 API that sends more than it says no more is read', async () => {
  s3.harm = (socket) => {
    socket.write(`${head(4)}file`);
    every(socket, 1, Buffer.alloc(100_000));
  };
  const found = await store.get(randomUUID());
  expect(String(found && (await buffer(found.stream)))).toBe('file');
  await closed();
});

test('a file that nobody reads for a while has lost nothing', async () => {
  const [id, bytes] = [randomUUID(), Buffer.alloc(3_000_000, 7)];
  await store.put(id, [bytes], bytes.length);
  const found = await store.get(id);
  const first = found?.stream.iterator() as AsyncIterator<Buffer>;
  let size = ((await first.next()).value as Buffer).length;
  const late = performance.now() + 2 * PATIENCE_MS;
  while (performance.now() < late) await new Promise((done) => setImmediate(done));
  for (let next = await first.next(); !next.done; next = await first.next()) size += next.value.length;
  expect(size).toBe(bytes.length);
});

test('a reader that goes away ends the connection', async () => {
  s3.harm = HARM['stops in the middle of a file'];
  const found = await store.get(randomUUID());
  found?.stream.on('error', () => undefined).destroy();
  await closed();
});
