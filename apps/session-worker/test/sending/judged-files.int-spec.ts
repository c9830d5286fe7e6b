import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MediaContent, MediaKind } from '@svc/contracts';
import { type MediaStore, type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { waitFor } from '@svc/testing';
import { at, HEIC, MB, outside, PDF, PNG, SOUND, STICKER, SVG } from '../file-server.js';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

let stage: Stage;
let worker: WorkerProcess;
let store: MediaStore;
let sessionId: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  ({ stage, worker } = await WorkerProcess.stage({ WEBHOOK_ALLOWED_ORIGINS: at('').slice(0, -1) }));
  store = await openMediaStore({ mediaDir: worker.mediaDir } as MediaStoreConfig);
  sessionId = await stage.link('15550126000');
});
afterAll(async () => {
  await stage.stop();
  outside.closeAllConnections();
  outside.close();
});

const CONTACT = '15550226000';
const send = (type: MediaKind, media: MediaContent): Promise<string> =>
  stage.send(sessionId, CONTACT, { type, media });
async function stored(bytes: Buffer): Promise<string> {
  const id = randomUUID();
  await store.put(id, [bytes], MB);
  return id;
}
const UNKNOWN = 'of no type that its bytes show';

test.each<[string, MediaKind, string, string | undefined]>([
  ['application/pdf', 'image', 'pdf', 'image/png'],
  ['image/heic', 'image', 'heic', undefined],
  ['image/heic', 'image', 'heic', 'image/png'],
  [UNKNOWN, 'image', 'svg', undefined],
  [UNKNOWN, 'sticker', 'octets-of-sound', 'image/webp'],
  ['text/html', 'sticker', 'page', 'image/webp'],
])('a file by URL that is %s is not sent as %s', async (what, kind, path, mimeType) => {
  const jobId = await send(kind, { url: at(path), ...(mimeType && { mimeType }) });
  expect(await stage.event('message.failed', jobId)).toMatchObject({
    failure: {
      code: 'MEDIA_REFUSED',
      message: expect.stringContaining(`it is ${what}, and as ${kind} must be`),
    },
  });
});

test.each<[string, MediaKind, Buffer, string | undefined]>([
  ['application/pdf', 'image', PDF, 'image/png'],
  ['image/heic', 'image', HEIC, undefined],
  ['image/heic', 'image', HEIC, 'image/png'],
  ['image/png', 'audio', PNG, 'audio/ogg'],
  [UNKNOWN, 'image', SVG, 'image/png'],
  [UNKNOWN, 'sticker', SOUND, 'image/webp'],
])('a stored file that is %s is not sent as %s', async (what, kind, bytes, mimeType) => {
  const jobId = await send(kind, { mediaId: await stored(bytes), ...(mimeType && { mimeType }) });
  expect(await stage.event('message.failed', jobId)).toMatchObject({
    failure: {
      code: 'MEDIA_REFUSED',
      message: expect.stringContaining(`it is ${what}, and as ${kind} must be`),
    },
  });
});

test.each<[MediaKind, Buffer]>([
  ['document', HEIC],
  ['document', SVG],
  ['image', PNG],
  ['sticker', STICKER],
  ['video', SOUND],
])('as %s a stored file goes out that may be one', async (kind, bytes) => {
  await stage.event('message.delivered', await send(kind, { mediaId: await stored(bytes) }));
});

describe('of a file by URL', () => {
  const received = async (type: MediaKind, media: MediaContent): Promise<object> => {
    const id = keyIdOf(await send(type, media));
    const find = async () => (await stage.platform.inbox(CONTACT)).find((one) => one.id === id);
    return (await waitFor(`${id} to arrive`, find, LONG_MS)).content;
  };

  test.each<[string, MediaKind, string, string, string | undefined]>([
    ['the server says, with its parameters', 'audio', 'opus', 'audio/ogg; codecs=opus', undefined],
    ['the server says of a container that may be either', 'audio', 'm4a', 'audio/mp4', undefined],
    ['the bytes say where the server knows nothing', 'image', 'octets', 'image/png', undefined],
    ['the bytes say where the server says nothing', 'image', 'untyped', 'image/png', undefined],
    ['the caller says before all others', 'image', 'octets', 'image/jpeg', 'image/jpeg'],
    [
      'the caller says, also of sound',
      'audio',
      'octets-of-sound',
      'audio/ogg; codecs=opus',
      'audio/ogg; codecs=opus',
    ],
  ])('the type is what %s', async (_who, type, path, mimeType, callers) => {
    const media = { url: at(path), ...(callers ? { mimeType: callers } : {}) };
    expect(await received(type, media)).toMatchObject({ type, mimeType, media: { problem: null } });
  });

  test.each([
    ['its server says', 'named', undefined, 'Überblick 2026.pdf'],
    ['the path says', 'offer%202026.pdf?key=1', undefined, 'offer 2026.pdf'],
    ['the caller says', 'named', 'mine.pdf', 'mine.pdf'],
    ['its kind and its bytes say', 'pdf', undefined, 'document.pdf'],
  ])('the name is what %s', async (_who, path, filename, name) => {
    const media = { url: at(path), ...(filename ? { filename } : {}) };
    expect(await received('document', media)).toMatchObject({ filename: name, mimeType: 'application/pdf' });
  });

  test.each(['gzip', 'br'])('what a server encodes with %s is decoded', async (encoding) => {
    expect(await received('image', { url: at(encoding) })).toMatchObject({
      media: { sha256: createHash('sha256').update(PNG).digest('hex'), problem: null },
    });
  });
});
