import { createHash, randomUUID } from 'node:crypto';
import { readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MediaContent, type MediaKind, type OutboundContent, UpdateSession } from '@svc/contracts';
import { type MediaStore, type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { waitFor } from '@svc/testing';
import {
  ANSWERS,
  asked,
  askedInside,
  at,
  FILE,
  inside,
  MB,
  outside,
  portOf,
  slow,
  SOUND,
  STICKER,
} from '../file-server.js';
import { keyIdOf, LONG_MS, type Received, type Stage } from '../support.js';
import { httpTunnel, type Tunnel } from '../tunnels.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550108000';
const hashOf = (file: Buffer): string => createHash('sha256').update(file).digest('hex');
const SHA256 = hashOf(FILE);
const FILES: Record<MediaKind, Buffer> = {
  ...{ image: FILE, document: FILE, sticker: STICKER },
  ...{ video: SOUND, audio: SOUND },
};

let stage: Stage;
let tunnel: Tunnel;
let worker: WorkerProcess;
let store: MediaStore;
let sessionId: string;

beforeAll(async () => {
  for (const server of [outside, inside])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  tunnel = await httpTunnel();
  ({ stage, worker } = await WorkerProcess.stage({
    WEBHOOK_ALLOWED_ORIGINS: [at('').slice(0, -1), `http://${new URL(tunnel.url).host}`].join(),
    MEDIA_SEND_TIMEOUT_MS: '3000',
    LEASE_MS: '3000',
  }));
  store = await openMediaStore({ mediaDir: worker.mediaDir } as MediaStoreConfig);
  sessionId = await stage.link(phone);
});
afterAll(async () => {
  await stage.stop();
  await tunnel.stop();
  for (const server of [outside, inside]) server.closeAllConnections();
  for (const server of [outside, inside]) server.close();
});
beforeEach(() => {
  asked.length = askedInside.length = 0;
});

async function stored(bytes: Buffer = FILE): Promise<string> {
  const id = randomUUID();
  await store.put(id, [bytes], MB);
  return id;
}

const send = (contact: string, type: MediaKind, media: MediaContent): Promise<string> =>
  stage.send(sessionId, contact, { type, media });
const arrived = (contact: string, id: string): Promise<Received> =>
  waitFor(
    `${id} to arrive`,
    async () => (await stage.platform.inbox(contact)).find((one) => one.id === id),
    LONG_MS,
  );
const uploadOf = async (jobId: string): Promise<Buffer | undefined> => {
  const [row] = await worker.database.query<{ uploaded: Buffer | null }>(
    'SELECT uploaded FROM sessions.outbound_message WHERE job_id = $1',
    [jobId],
  );
  return row?.uploaded ?? undefined;
};

const KINDS: [MediaKind, MediaContent, object][] = [
  [
    'image',
    { mimeType: 'image/png', caption: 'The receipt' },
    { mimeType: 'image/png', caption: 'The receipt' },
  ],
  [
    'video',
    { mimeType: 'video/mp4', caption: 'Look' },
    { mimeType: 'video/mp4', caption: 'Look', isPtv: false },
  ],
  ['audio', { mimeType: 'audio/mpeg' }, { mimeType: 'audio/mpeg', isPtt: false }],
  [
    'audio',
    { mimeType: 'audio/ogg; codecs=opus', voice: true },
    { mimeType: 'audio/ogg; codecs=opus', isPtt: true },
  ],
  [
    'document',
    { mimeType: 'application/pdf', filename: 'offer.pdf', caption: 'As agreed' },
    { mimeType: 'application/pdf', filename: 'offer.pdf', caption: 'As agreed' },
  ],
  ['sticker', { mimeType: 'image/webp' }, { mimeType: 'image/webp', isAnimated: false }],
];

test.each(KINDS)('a contact receives the %s %j with its file', async (type, media, received) => {
  const contact = '15550208001';
  const file = FILES[type];
  const jobId = await send(contact, type, { ...media, mediaId: await stored(file) });
  expect((await arrived(contact, keyIdOf(jobId))).content).toEqual({
    ...{ type, ...received },
    media: { bytes: file.length, sha256: hashOf(file), problem: null },
  });
  await stage.event('message.delivered', jobId);
});

test('a voice message that somebody listened to was read', async () => {
  const contact = '15550208010';
  const media = { mimeType: 'audio/ogg; codecs=opus', voice: true, mediaId: await stored(SOUND) };
  const jobId = await send(contact, 'audio', media);
  await arrived(contact, keyIdOf(jobId));
  const played = await stage.platform.call('POST', `/contacts/${contact}/played`, { from: phone });
  expect(played).toEqual({ played: 1 });
  await stage.event('message.read', jobId);
});

test.each(['file', 'redirect'])('a file is fetched by URL: /%s', async (path) => {
  const contact = '15550208002';
  const jobId = await send(contact, 'image', { url: at(path) });
  expect((await arrived(contact, keyIdOf(jobId))).content).toMatchObject({
    ...{ type: 'image', mimeType: 'image/png' },
    media: { sha256: SHA256, problem: null },
  });
});

describe('a message fails with the reason', () => {
  test.each<[string, MediaKind, () => MediaContent, string, RegExp]>([
    ['whose file is not found', 'image', () => ({ url: at('gone') }), 'MEDIA_UNAVAILABLE', /HTTP 404/],
    ['whose file is a page', 'image', () => ({ url: at('page') }), 'MEDIA_REFUSED', /text\/html/],
    ['whose file is too large', 'sticker', () => ({ url: at('large') }), 'MEDIA_REFUSED', /larger than/],
    ['whose file does not end', 'sticker', () => ({ url: at('endless') }), 'MEDIA_REFUSED', /larger than/],
    ['whose file breaks off', 'document', () => ({ url: at('broken') }), 'MEDIA_UNAVAILABLE', /broke off/],
    [
      'whose server is not well',
      'image',
      () => ({ url: at('unavailable') }),
      'MEDIA_UNAVAILABLE',
      /HTTP 503/,
    ],
    ['whose server is silent', 'image', () => ({ url: at('silent') }), 'MEDIA_UNAVAILABLE', /within 3000 ms/],
    [
      'sent round in circles',
      'image',
      () => ({ url: at('round') }),
      'MEDIA_UNAVAILABLE',
      /more than 10 redirects/,
    ],
    ['whose file is empty', 'image', () => ({ url: at('empty') }), 'MEDIA_REFUSED', /it is empty/],
    ['whose encoding nobody knows', 'image', () => ({ url: at('zstd') }), 'MEDIA_REFUSED', /encodes it/],
    ['whose file is not stored', 'image', () => ({ mediaId: randomUUID() }), 'MEDIA_UNAVAILABLE', /not kept/],
  ])('%s, and those behind it go out', async (_what, type, media, code, words) => {
    const contact = '15550208003';
    const jobId = await send(contact, type, media());
    const behind = await stage.send(sessionId, contact, 'next');
    const { failure } = await stage.event('message.failed', jobId);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(words) });
    await arrived(contact, keyIdOf(behind));
  });

  test.each([
    ['our own network', () => `http://127.0.0.1:${portOf(inside)}/secret`],
    ['a redirect to it', () => at('inside')],
    ['a name of this machine', () => `https://localhost:${portOf(inside)}/secret`],
    ['the metadata of a cloud', () => 'https://169.254.169.254/latest'],
  ])('that names %s, and nothing is asked there', async (_what, url) => {
    const jobId = await send('15550208004', 'image', { url: url() });
    const { failure } = await stage.event('message.failed', jobId);
    expect(failure).toMatchObject({ code: 'MEDIA_UNAVAILABLE' });
    expect(askedInside).toEqual([]);
  });
});

describe('while a file is on its way', () => {
  afterEach(() => letGo());
  const contacts = (n: number): string[] => Array.from({ length: n }, (_, i) => `155502081${10 + i}`);
  const asked = (): number => slow.filter(({ destroyed }) => !destroyed).length;
  const areAsked = (times: number): Promise<boolean> =>
    waitFor(`${times} files to be asked for`, () => asked() === times, LONG_MS);
  const letGo = (): void => {
    for (const response of slow.splice(0)) ANSWERS['file']?.(response);
  };

  test('its chat waits for it, in order, and no other', async () => {
    const [contact, other] = contacts(2) as [string, string];
    const file = await send(contact, 'image', { url: at('slow') });
    const behind = await stage.send(sessionId, contact, 'behind it');
    await arrived(other, keyIdOf(await stage.send(sessionId, other, 'elsewhere')));
    await areAsked(1);
    expect(await stage.platform.inbox(contact)).toEqual([]);
    letGo();
    await arrived(contact, keyIdOf(behind));
    const ids = (await stage.platform.inbox(contact)).map(({ id }) => id);
    expect(ids).toEqual([file, behind].map(keyIdOf));
  });

  test('few others are, and the rest have their turn', async () => {
    const all = contacts(8).slice(2);
    const jobs = await Promise.all(all.map((contact) => send(contact, 'image', { url: at('slow') })));
    await areAsked(3);
    const witness = '15550208130';
    await arrived(witness, keyIdOf(await stage.send(sessionId, witness, 'elsewhere')));
    expect(asked()).toBe(3);
    letGo();
    await areAsked(3);
    letGo();
    await Promise.all(jobs.map((jobId, i) => arrived(all[i] as string, keyIdOf(jobId))));
  });

  test('a worker that is killed begins it anew, and the contact has it once', async () => {
    const [contact] = contacts(9).slice(8) as [string];
    const jobId = await send(contact, 'image', { url: at('slow') });
    const behind = await stage.send(sessionId, contact, 'behind it');
    await areAsked(1);
    await worker.kill();
    slow.length = 0;
    await worker.start();
    await areAsked(1);
    letGo();
    await arrived(contact, keyIdOf(behind));
    const inbox = await stage.platform.inbox(contact);
    expect(inbox.map(({ id, duplicates }) => ({ id, duplicates }))).toEqual([
      { id: keyIdOf(jobId), duplicates: 0 },
      { id: keyIdOf(behind), duplicates: 0 },
    ]);
  });
});

test('a session with a proxy fetches through it, and under the same rules', async () => {
  const contact = '15550208131';
  const setProxy = (proxy: string | null) =>
    worker.rpc.request(UpdateSession, { tenantId: stage.tenantId, sessionId, proxy }, LONG_MS);
  try {
    await setProxy(tunnel.url);
    await waitFor('the platform behind the proxy', () => tunnel.opened.length > 0, LONG_MS);
    await stage.reached(sessionId, 'CONNECTED');
    tunnel.opened.length = 0;
    const jobId = await send(contact, 'image', { url: at('redirect') });
    const { content } = await arrived(contact, keyIdOf(jobId));
    expect(content).toMatchObject({ media: { sha256: SHA256 } });
    expect(tunnel.opened).toContain(`127.0.0.1:${portOf(outside)}`);
    const refused = await send(contact, 'image', { url: at('inside') });
    expect(await stage.event('message.failed', refused)).toMatchObject({
      failure: { code: 'MEDIA_UNAVAILABLE', message: expect.stringContaining('must be an https URL') },
    });
    expect(askedInside).toEqual([]);
    expect(tunnel.opened).not.toContain(`127.0.0.1:${portOf(inside)}`);
  } finally {
    await setProxy(null);
    await stage.reached(sessionId, 'CONNECTED');
  }
});

test('a media host that refuses at first gets the file again, and the contact gets it once', async () => {
  const contact = '15550208005';
  await stage.platform.call('PUT', '/faults', { mediaStatus: 507, mediaCount: 1 });
  const jobId = await send(contact, 'image', { mimeType: 'image/png', mediaId: await stored() });
  expect(await arrived(contact, keyIdOf(jobId))).toMatchObject({
    content: { media: { sha256: SHA256 } },
    duplicates: 0,
  });
});

test('a media store that is away costs a message none of its tries', async () => {
  const contact = '15550208011';
  const mediaId = await stored();
  const aside = `${worker.mediaDir}-aside`;
  await rename(worker.mediaDir, aside);
  const jobId = await send(contact, 'image', { mimeType: 'image/png', mediaId });
  try {
    // The log has more attempts than a file gets.
    const inVain = (): boolean => worker.log().split('file waits').length > 4;
    await waitFor('attempts in vain', inVain, LONG_MS);
  } finally {
    await rename(aside, worker.mediaDir);
  }
  expect((await arrived(contact, keyIdOf(jobId))).content).toMatchObject({ media: { sha256: SHA256 } });
});

test('a media host that always refuses makes it fail', async () => {
  await stage.platform.call('PUT', '/faults', { mediaStatus: 507 });
  const jobId = await send('15550208006', 'image', { mimeType: 'image/png', mediaId: await stored() });
  const { failure } = await stage.event('message.failed', jobId);
  expect(failure).toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
  await stage.platform.call('DELETE', '/faults');
});

test('a worker killed before the ack sends the file that was uploaded, fetches nothing again, and the contact has it once', async () => {
  const contact = '15550208007';
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { ack: 'never' });
  const jobId = await send(contact, 'image', { url: at('file') });
  const before = await waitFor('the upload', () => uploadOf(jobId), LONG_MS);
  await arrived(contact, keyIdOf(jobId));
  await worker.kill();
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  await worker.start();
  await stage.event('message.sent', jobId);
  expect(await uploadOf(jobId)).toEqual(before);
  expect(asked).toEqual(['/file']);
  const inbox = (await stage.platform.inbox(contact)).filter(({ id }) => id === keyIdOf(jobId));
  expect(inbox).toMatchObject([{ content: { media: { sha256: SHA256 } } }]);
});

test('a contact who asks for a file again is told the same place and key', async () => {
  const [first, other] = ['15550208008', '15550208009'];
  const content: OutboundContent = {
    type: 'document',
    media: { mediaId: await stored(), filename: 'a.bin' },
  };
  const id = keyIdOf(await stage.send(sessionId, first, content));
  const { message } = await arrived(first, id);
  const attrs = { id, from: `${other}@s.whatsapp.net`, type: 'retry', t: '1760000000' };
  const retry = { tag: 'retry', attrs: { count: '1', id, t: '1760000000', v: '1' } };
  const stanza = { tag: 'receipt', attrs, content: [retry] };
  await stage.platform.call('POST', `/accounts/${phone}/stanzas`, { stanza });
  expect((await arrived(other, id)).message).toEqual(message);
});

test('a file that is on its way is for the worker alone, and one that a kill left behind is deleted', async () => {
  const folder = join(worker.mediaDir, 'outgoing');
  const contact = '15550208777';
  await send(contact, 'image', { url: at('dripping'), mimeType: 'image/png' });
  const [name] = await waitFor('the file', async () => {
    const names = await readdir(folder);
    return names.length > 0 && names;
  });
  const modes = await Promise.all(
    [folder, join(folder, name as string)].map(async (path) => (await stat(path)).mode),
  );
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600']);
  await worker.kill();
  expect(await readdir(folder)).toContain(name);
  await utimes(join(folder, name as string), 0, 0);
  await worker.start();
  expect(await readdir(folder)).not.toContain(name);
  await stage.reached(sessionId, 'CONNECTED');
});
