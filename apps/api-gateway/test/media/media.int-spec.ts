import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FieldProblem } from '@svc/contracts';
import { type MediaStore, openMediaStore } from '@svc/media-store';
import { GatewayConfig } from '../../src/config.js';
import { UploadsService } from '../../src/media/uploads.service.js';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const FILE = randomBytes(3_000_000);
const PDF = Buffer.from('%PDF-1.7\n% an offer\n');
const SHA256 = createHash('sha256').update(FILE).digest('hex');
const MB = 1_048_576;
/** Head of a picture as phones take them, which no phone shows. */
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
/** A picture of text, which no phone shows, and one that they do. */
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
let sessionId: string;
let store: MediaStore;

beforeAll(async () => {
  store = await openMediaStore(gateway.service.get(GatewayConfig));
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

async function upload(form: FormData, key = tenant.apiKey): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${gateway.service.url}/v1/media`, { method: 'POST', headers, body: form });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

function formOf(bytes: Buffer, type: string, field = 'file'): FormData {
  const form = new FormData();
  form.append(field, new Blob([new Uint8Array(bytes)], { type }), 'offer.pdf');
  return form;
}

const uploaded = async (bytes: Buffer, type: string): Promise<string> =>
  (await upload(formOf(bytes, type))).body['mediaId'] as string;
const send = (media: object): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', { sessionId, to: '+15550001111', media });
const mediaOf = async (jobId: unknown) =>
  (await gateway.commandsOf(sessionId)).find(({ id }) => id === jobId)?.data.content;
async function uploads(): Promise<number> {
  const rows = await gateway.service.database.query('SELECT 1 FROM gateway.upload WHERE sha256 IS NOT NULL');
  return rows.length;
}
async function storedBytes(id = ''): Promise<Buffer | undefined> {
  const found = await store.get(id);
  return found && Buffer.concat(await found.stream.toArray());
}

test('an upload is stored, answered with its digest, and sent by its id', async () => {
  const { status, body } = await upload(formOf(FILE, 'application/pdf'));
  expect(status).toBe(201);
  const { mediaId } = body as { mediaId: string };
  expect(body).toEqual({ mediaId, mimeType: 'application/pdf', size: FILE.length, sha256: SHA256 });
  expect((await storedBytes(mediaId))?.equals(FILE)).toBe(true);
  const answer = await send({ kind: 'document', mediaId: mediaId.toUpperCase(), caption: 'As agreed' });
  expect(answer.status).toBe(200);
  const file = { mimeType: 'application/pdf', filename: 'offer.pdf', caption: 'As agreed' };
  expect(await mediaOf(answer.body['jobId'])).toEqual({ type: 'document', media: { mediaId, ...file } });
  const view = await gateway.call(tenant.apiKey, `GET /v1/messages/${String(answer.body['jobId'])}`);
  expect(view.body['body']).toEqual({ type: 'document', ...file });
});

test('a file in base64 is stored before the command tells of it', async () => {
  const bytes = randomBytes(1_000);
  const media = { kind: 'audio', base64: bytes.toString('base64'), mimeType: 'audio/ogg', voice: true };
  const { body } = await send(media);
  const content = await mediaOf(body['jobId']);
  expect(content).toMatchObject({ type: 'audio', media: { mimeType: 'audio/ogg', voice: true } });
  expect(await storedBytes(content?.media?.mediaId)).toEqual(bytes);
});

test('an address goes to the worker as it is', async () => {
  const url = 'https://files.example.com/receipt.png?signature=abc';
  const { body } = await send({ kind: 'image', url });
  expect(await mediaOf(body['jobId'])).toEqual({ type: 'image', media: { url } });
});

test('uploads are deleted after a month, files first', async () => {
  const id = await uploaded(PNG, 'image/png');
  const age = "created_at = clock_timestamp() - interval '32 days'";
  await gateway.service.database.query(`UPDATE gateway.upload SET ${age} WHERE id = $1`, [id]);
  await gateway.service.get(UploadsService).sweep();
  expect(await storedBytes(id)).toBeUndefined();
  expectError(await send({ kind: 'image', mediaId: id }), 400, 'VALIDATION_FAILED');
});

describe('a file that came with a message', () => {
  const aged = (minutes: number): Promise<unknown> =>
    gateway.service.database.query(
      `UPDATE gateway.upload SET created_at = clock_timestamp() - $2 * interval '1 minute' WHERE tenant_id = $1`,
      [tenant.tenantId, minutes],
    );
  const sent = async (): Promise<{ jobId: unknown; mediaId: string }> => {
    const base64 = randomBytes(1_000).toString('base64');
    const { jobId } = (await send({ kind: 'document', base64, mimeType: 'image/png' })).body;
    return { jobId, mediaId: String((await mediaOf(jobId))?.media?.mediaId) };
  };

  test('is deleted an hour later if the message was never written, and no other file is', async () => {
    const [abandoned, written] = [await sent(), await sent()];
    const alone = await uploaded(Buffer.from('alone'), 'image/png');
    const files = [abandoned.mediaId, written.mediaId, alone];
    const there = async () => (await Promise.all(files.map(storedBytes))).map((bytes) => bytes !== undefined);
    // The rows are as a crash leaves them that comes before the message is written.
    await gateway.service.database.query('DELETE FROM gateway.message WHERE id = $1', [abandoned.jobId]);
    await aged(59);
    await gateway.service.get(UploadsService).sweep();
    expect(await there()).toEqual([true, true, true]);
    await aged(61);
    await gateway.service.get(UploadsService).sweep();
    expect(await there()).toEqual([false, true, true]);
    // An upload that was seen with its message is not looked at again.
    await gateway.service.database.query('DELETE FROM gateway.message WHERE id = $1', [written.jobId]);
    await gateway.service.get(UploadsService).sweep();
    expect(await there()).toEqual([false, true, true]);
  });

  test('is kept once, however often the message is sent at once', async () => {
    const owner = await gateway.createTenant();
    const message = { sessionId: gateway.fakes.addSession(owner.tenantId).id, to: '+15550001111' };
    const clientMessageId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => {
        const media = { kind: 'document', base64: randomBytes(1_000).toString('base64'), mimeType: 'a/b' };
        return gateway.call(owner.apiKey, 'POST /v1/messages', { ...message, media, clientMessageId });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body['jobId'])).size).toBe(1);
    const sql = `SELECT u.id, m.id AS message FROM gateway.upload u
      LEFT JOIN gateway.message m ON m.content #>> '{media,mediaId}' = u.id::text WHERE u.tenant_id = $1`;
    const files = await gateway.service.database.query<{ id: string }>(sql, [owner.tenantId]);
    expect(files).toEqual([{ id: expect.any(String), message: answers[0]?.body['jobId'] }]);
    expect(await storedBytes(files[0]?.id)).toBeDefined();
  });
});

describe('a file in base64 is taken', () => {
  const url = Buffer.from([0xfb, 0xff, 0xbf, 0x3e]).toString('base64url');
  test.each([
    [
      'as a data URL, with its type',
      `data:image/png;base64,${Buffer.from('file').toString('base64')}`,
      undefined,
    ],
    ['in lines', 'Zm\r\nls\nZQ==', 'image/png'],
    ['without padding', 'ZmlsZQ', 'image/png'],
    ['in the alphabet of URLs', url, 'image/png'],
  ])('%s', async (_how, base64, mimeType) => {
    const { status, body } = await send({ kind: 'document', base64, ...(mimeType ? { mimeType } : {}) });
    expect(status).toBe(200);
    const content = (await mediaOf(body['jobId'])) as { media: { mediaId: string; mimeType: string } };
    expect(content.media.mimeType).toBe('image/png');
    const expected = base64 === url ? Buffer.from([0xfb, 0xff, 0xbf, 0x3e]) : Buffer.from('file');
    expect(await storedBytes(content.media.mediaId)).toEqual(expected);
  });
});

test('sound in a container that films have, too, is taken as sound', async () => {
  const base64 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1').toString('base64');
  expect((await send({ kind: 'audio', base64, mimeType: 'audio/mp4' })).status).toBe(200);
  expect((await send({ kind: 'image', base64, mimeType: 'image/png' })).status).toBe(400);
});

test('an upload of which its client knows nothing has the type that its bytes say', async () => {
  const { body } = await upload(formOf(PDF, 'application/octet-stream'));
  expect(body).toMatchObject({ mimeType: 'application/pdf', size: PDF.length });
});

describe('an upload is what its bytes say, whatever its client says', () => {
  test.each([
    ['a picture that no phone shows', HEIC, 'image/png', 'image/heic'],
    ['a document', PDF, 'image/jpeg', 'application/pdf'],
    ['a picture of text', SVG, 'image/png', 'application/octet-stream'],
    ['a picture that phones show', PNG, 'image/jpeg', 'image/jpeg'],
    ['a document under its own name', PDF, 'text/plain', 'text/plain'],
  ])('%s', async (_what, bytes, declared, mimeType) => {
    const { body } = await upload(formOf(bytes, declared));
    expect(body).toMatchObject({ mimeType, size: bytes.length });
  });

  test.each([
    [/is image\/heic, .* image\/jpeg or image\/png/, HEIC, undefined],
    [/is image\/heic, .* image\/jpeg or image\/png/, HEIC, 'image/png'],
    [/is of no type that its bytes show, /, SVG, undefined],
    [/is of no type that its bytes show, /, SVG, 'image/png'],
  ])('and is sent as that alone: it %s', async (rule, bytes, mimeType) => {
    const mediaId = await uploaded(bytes, 'image/png');
    const answer = await send({ kind: 'image', mediaId, ...(mimeType && { mimeType }) });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect((answer.body['meta'] as { fields: FieldProblem[] }).fields).toMatchObject([
      { field: 'media.mediaId', rule: expect.stringMatching(rule) },
    ]);
    expect((await send({ kind: 'document', mediaId })).status).toBe(200);
  });
});

describe('media is refused', () => {
  const small = Buffer.from('file').toString('base64');
  test.each<[object, string, RegExp]>([
    [{ kind: 'image' }, 'media.url', /exactly one of media.url, media.base64, media.mediaId/],
    [
      { kind: 'image', url: 'https://a.example', mediaId: randomUUID() },
      'media.mediaId',
      /together with media.url/,
    ],
    [{ kind: 'gif', mediaId: randomUUID() }, 'media.kind', /media.kind must be one of image, /],
    [{ kind: 'image', url: 'http://a.example/x' }, 'media.url', /https/],
    [{ kind: 'image', url: 'https://127.0.0.1/x' }, 'media.url', /destination not allowed/],
    [{ kind: 'image', url: 'https://user:pw@a.example/x' }, 'media.url', /user name or password/],
    [{ kind: 'image', mediaId: randomUUID() }, 'media.mediaId', /id of an upload/],
    [{ kind: 'image', base64: 'bm90*', mimeType: 'image/png' }, 'media.base64', /base64, and has "\*" in it/],
    [{ kind: 'image', base64: 'bm90\u200b', mimeType: 'image/png' }, 'media.base64', /has U\+200B in it/],
    [{ kind: 'image', base64: 'bm90a', mimeType: 'image/png' }, 'media.base64', /breaks off/],
    [{ kind: 'image', base64: 'data:image/png;base64,' }, 'media.base64', /must not be empty/],
    [
      { kind: 'image', base64: PDF.toString('base64'), mimeType: 'image/png' },
      'media.base64',
      /is application\/pdf/,
    ],
    ...[small, SVG.toString('base64')].map((base64): [object, string, RegExp] => [
      { kind: 'image', base64, mimeType: 'image/png' },
      'media.base64',
      /is of no type that its bytes show, and as image must be image\/jpeg or image\/png/,
    ]),
    [
      { kind: 'sticker', base64: small, mimeType: 'image/webp' },
      'media.base64',
      /is of no type that its bytes show/,
    ],
    [{ kind: 'document', base64: `data:what ever;base64,${small}` }, 'media.base64', /media type such as/],
    [
      { kind: 'image', base64: `data:image/png;x=\u200b;base64,${PNG.toString('base64')}` },
      'media.base64',
      /media type such as/,
    ],
    [{ kind: 'image', base64: small, mimeType: 'image/heic' }, 'media.mimeType', /image\/jpeg or image\/png/],
    [{ kind: 'image', base64: small }, 'media.mimeType', /must be given with media.base64/],
    [
      { kind: 'image', base64: small, mimeType: 'audio/ogg' },
      'media.mimeType',
      /must be image\/jpeg or image\/png/,
    ],
    [{ kind: 'sticker', base64: small, mimeType: 'image/png' }, 'media.mimeType', /must be image\/webp/],
    [{ kind: 'image', base64: small, mimeType: 'png' }, 'media.mimeType', /media type such as/],
    [{ kind: 'image', base64: small, mimeType: 'image/png', voice: true }, 'media.voice', /audio only/],
    [{ kind: 'audio', base64: small, mimeType: 'audio/ogg', caption: 'x' }, 'media.caption', /not for audio/],
    [
      { kind: 'image', base64: small, mimeType: 'image/png', filename: 'x' },
      'media.filename',
      /not for image/,
    ],
  ])('as %j: %s', async (media, field, rule) => {
    const answer = await send(media);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect((answer.body['meta'] as { fields: FieldProblem[] }).fields[0]).toMatchObject({
      field,
      rule: expect.stringMatching(rule),
    });
  });

  test('by the id of an upload of another tenant, of another kind, or too large for its kind', async () => {
    const stranger = await gateway.createTenant();
    const theirs = (await upload(formOf(FILE, 'image/png'), stranger.apiKey)).body['mediaId'];
    expectError(await send({ kind: 'image', mediaId: theirs }), 400, 'VALIDATION_FAILED');
    const film = await uploaded(FILE, 'video/mp4');
    expectError(await send({ kind: 'image', mediaId: film }), 400, 'VALIDATION_FAILED');
    const sticker = await uploaded(Buffer.concat([WEBP, Buffer.alloc(MB)]), 'image/webp');
    expectError(await send({ kind: 'sticker', mediaId: sticker }), 400, 'VALIDATION_FAILED');
  });
});

describe('an upload is refused', () => {
  test('without a key, and as JSON', async () => {
    expectError(await upload(formOf(FILE, 'image/png'), 'rk_live_wrong'), 401, 'UNAUTHENTICATED');
    expectError(await gateway.call(tenant.apiKey, 'POST /v1/media', {}), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each<[string, () => FormData]>([
    ['under another name', () => formOf(FILE, 'image/png', 'picture')],
    ['without a file', () => new FormData()],
    ['as an empty file', () => formOf(Buffer.alloc(0), 'image/png')],
    [
      'as two files',
      () => {
        const form = formOf(FILE, 'image/png');
        form.append('file', new Blob(['x'], { type: 'image/png' }), 'second.png');
        return form;
      },
    ],
    [
      'as a field',
      () => {
        const form = new FormData();
        form.append('file', 'text');
        return form;
      },
    ],
  ])('%s', async (_, form) => {
    const before = await uploads();
    const answer = await upload(form());
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect((answer.body['meta'] as { fields: FieldProblem[] }).fields).toMatchObject([{ field: 'file' }]);
    expect(await uploads()).toBe(before);
  });

  test('when it is larger than any kind may be', async () => {
    const body = await upload(formOf(Buffer.alloc(100 * MB + 1), 'application/zip'));
    expectError(body, 413, 'PAYLOAD_TOO_LARGE');
  });
});
