import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Entitlements, NewTenant } from '@svc/contracts';
import { UploadsService } from '../../src/media/uploads.service.js';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant as other, withGateway } from '../support/gateway.js';

withGateway();

/** A tenant that may keep so many bytes. */
async function keeping(storage: number): Promise<NewTenant> {
  const made = await gateway.createTenant();
  const entitlements: Partial<Entitlements> = { storage };
  Object.assign(gateway.fakes.subscriptions.get(made.tenantId) as object, { entitlements });
  return made;
}

async function upload({ apiKey }: NewTenant, bytes: number): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([randomBytes(bytes)], { type: 'image/png' }), 'a.png');
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${gateway.service.url}/v1/media`, { method: 'POST', headers, body: form });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

/** Uploads a file whose length nobody says beforehand; resolves with the status of the answer. */
async function stream({ apiKey }: NewTenant, bytes: number): Promise<number> {
  const head =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n';
  const body = new ReadableStream({
    start(controller) {
      for (const piece of [Buffer.from(head), randomBytes(bytes), Buffer.from('\r\n--b--\r\n')]) {
        controller.enqueue(piece);
      }
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b' };
  const init = { method: 'POST', headers, body, duplex: 'half' };
  return (await fetch(`${gateway.service.url}/v1/media`, init as RequestInit)).status;
}

const remove = ({ apiKey }: NewTenant, id: unknown): Promise<Answer> =>
  gateway.call(apiKey, `DELETE /v1/media/${String(id)}`);
const uploadsOf = async ({ apiKey }: NewTenant): Promise<unknown> =>
  (await gateway.call(apiKey, 'GET /v1/limits')).body['uploads'];
async function expectFull(answer: Answer, limit: number, used: number): Promise<void> {
  expectError(answer, 409, 'QUOTA_CONFLICT');
  expect(answer.body['meta']).toEqual({ quota: 'storage', limit, used });
}

describe('the bytes that a tenant may keep', () => {
  test('are counted file by file; one that is deleted makes room', async () => {
    const tenant = await keeping(20_000);
    const { mediaId } = (await upload(tenant, 15_000)).body;
    expect(await uploadsOf(tenant)).toEqual({ limit: 20_000, used: 15_000, left: 5_000 });
    await expectFull(await upload(tenant, 6_000), 20_000, 15_000);
    expect(await uploadsOf(tenant)).toEqual({ limit: 20_000, used: 15_000, left: 5_000 });
    expect(await remove(tenant, mediaId)).toMatchObject({ status: 204 });
    expect(await uploadsOf(tenant)).toEqual({ limit: 20_000, used: 0, left: 20_000 });
    expect(await upload(tenant, 6_000)).toMatchObject({ status: 201 });
  });

  test('are at least those of a block, however small the file is', async () => {
    const tenant = await keeping(10_000);
    for (const status of [201, 201, 409]) expect(await upload(tenant, 1)).toMatchObject({ status });
    expect(await uploadsOf(tenant)).toMatchObject({ used: 8_192 });
  });

  test('are not passed by uploads that come at once', async () => {
    const tenant = await keeping(4 * 4_096);
    await upload(tenant, 1);
    const answers = await Promise.all(Array.from({ length: 32 }, () => upload(tenant, 1)));
    const kept = answers.filter(({ status }) => status === 201).length;
    expect(kept).toBe(3);
    expect(await uploadsOf(tenant)).toMatchObject({ used: 4 * 4_096 });
  });

  test('bind an upload of unknown length as well', async () => {
    const tenant = await keeping(20_000);
    expect([await stream(tenant, 15_000), await stream(tenant, 15_000)]).toEqual([201, 409]);
    expect(await uploadsOf(tenant)).toMatchObject({ used: 15_000 });
  });

  test('bind a file in base64; it is neither kept nor sent, and a rehearsal says so', async () => {
    const tenant = await keeping(5_000);
    const { id: sessionId } = gateway.fakes.addSession(tenant.tenantId);
    const media = { kind: 'document', base64: randomBytes(6_000).toString('base64'), mimeType: 'a/b' };
    const body = { sessionId, to: '+15550001111', media };
    await expectFull(await gateway.call(tenant.apiKey, 'POST /v1/messages', body), 5_000, 0);
    const rehearsed = await gateway.call(tenant.apiKey, 'POST /v1/messages', { ...body, dryRun: true });
    expect(rehearsed).toMatchObject({
      status: 200,
      body: { wouldSend: false, refusal: { status: 409, code: 'QUOTA_CONFLICT' } },
    });
    expect(await uploadsOf(tenant)).toMatchObject({ used: 0 });
    expect(gateway.fakes.questions.filter(({ tenantId }) => tenantId === tenant.tenantId)).toEqual([]);
  });

  test('are free again an hour after a crash in the middle of an upload', async () => {
    const tenant = await keeping(20_000);
    const { mediaId } = (await upload(tenant, 15_000)).body;
    await gateway.service.database.query(
      `UPDATE gateway.upload SET created_at = created_at - interval '61 minutes', sha256 = NULL, size = NULL WHERE id = $1`,
      [mediaId],
    );
    await gateway.service.get(UploadsService).sweep();
    expect(await uploadsOf(tenant)).toMatchObject({ used: 0 });
  });
});

describe('an upload', () => {
  test('is deleted by its tenant alone, and cannot be sent any more', async () => {
    const { mediaId } = (await upload(other, 10)).body;
    const stranger = await gateway.createTenant();
    expectError(await remove(stranger, mediaId), 403, 'FORBIDDEN');
    expect(await remove(other, mediaId)).toMatchObject({ status: 204 });
    expectError(await remove(other, mediaId), 404, 'MEDIA_NOT_FOUND');
    expectError(await remove(other, 'x'), 404, 'MEDIA_NOT_FOUND');
  });
});
