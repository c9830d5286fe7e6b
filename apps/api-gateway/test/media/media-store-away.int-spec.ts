import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MessageReceived } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  // The gateway has the address of an S3 API that does not exist.
  gateway = await TestGateway.start({
    MEDIA_S3_ENDPOINT: 'http://127.0.0.1:1',
    MEDIA_S3_BUCKET: 'media',
    MEDIA_S3_ACCESS_KEY: 'reader',
    MEDIA_S3_SECRET_KEY: 'of the test alone',
  });
});
afterAll(() => gateway.stop());

test('a file that cannot be reached now can be asked for again, and messages are read all the same', async () => {
  const { tenantId, apiKey } = await gateway.createTenant();
  const { id: sessionId } = gateway.fakes.addSession(tenantId);
  const messageId = randomUUID();
  const data = {
    ...{ sessionId, messageId, keyId: 'KEY', remoteJid: '15550002222@s.whatsapp.net', phone: null },
    ...{
      body: { type: 'image' as const },
      pushName: null,
      timestamp: new Date().toISOString(),
      fromMe: false,
    },
    media: {
      ...{ mediaId: messageId, status: 'STORED' as const, mimeType: 'image/png', size: 1, sha256: null },
      reason: null,
    },
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, { tenantId }, data));
  const path = `GET /v1/messages/${messageId}`;
  await waitFor('the message', async () => (await gateway.call(apiKey, path)).status === 200);
  const { status, headers, body } = await gateway.call(apiKey, `${path}/media`);
  expect([status, body['code']]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});
