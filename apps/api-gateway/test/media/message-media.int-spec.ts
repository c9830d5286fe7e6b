import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type MessageBody,
  type MessageMedia,
  MessageReceived,
  type MessageReceivedV1,
  type MessageView,
} from '@svc/contracts';
import { type MediaStore, openMediaStore } from '@svc/media-store';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { GatewayConfig } from '../../src/config.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const FILE = randomBytes(300_000);
const GROUP = '120363000000000001@g.us';
let store: MediaStore;
let sessionId: string;

beforeAll(async () => {
  store = await openMediaStore(gateway.service.get(GatewayConfig));
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

/** Publishes a message of the worker; it is in the read model when this resolves. */
async function arrived(change: Partial<MessageReceivedV1>): Promise<string> {
  const messageId = change.messageId ?? randomUUID();
  const data: MessageReceivedV1 = {
    ...{
      sessionId,
      messageId,
      keyId: randomUUID(),
      remoteJid: '15550002222@s.whatsapp.net',
      phone: '+15550002222',
    },
    ...{
      body: { type: 'text', text: 'Hi' },
      pushName: 'Ada',
      timestamp: new Date().toISOString(),
      fromMe: false,
    },
    ...change,
  };
  const { tenantId } = tenant;
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageReceived, { tenantId }, data));
  await waitFor('the message', async () => (await read(messageId)).status === 200);
  return messageId;
}

async function withFile(body: MessageBody, change: Partial<MessageMedia> = {}): Promise<string> {
  const messageId = randomUUID();
  const media: MessageMedia = {
    ...{ mediaId: messageId, status: 'STORED', mimeType: body.mimeType ?? null, reason: null },
    ...{ size: FILE.length, sha256: null },
    ...change,
  };
  return arrived({ messageId, body, media });
}

const read = (id: string, key = tenant.apiKey) => gateway.call(key, `GET /v1/messages/${id}`);
const media = (id: string, key = tenant.apiKey) => gateway.call(key, `GET /v1/messages/${id}/media`);

describe('the file of a message', () => {
  test('comes as it was sent, to be saved and not to be shown', async () => {
    const id = await withFile({ type: 'document', filename: 'Angebot ä.pdf', mimeType: 'application/pdf' });
    await store.put(id, [FILE], FILE.length);
    const response = await fetch(`${gateway.service.url}/v1/messages/${id}/media`, {
      headers: { authorization: `Bearer ${tenant.apiKey}` },
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(FILE.length),
      'content-disposition': `attachment; filename="Angebot _.pdf"; filename*=UTF-8''Angebot%20%C3%A4.pdf`,
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String) as unknown,
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(FILE);
  });

  test('is told with the message', async () => {
    const id = await withFile({ type: 'image', mimeType: 'image/png' });
    expect((await read(id)).body['media']).toMatchObject({
      status: 'STORED',
      size: FILE.length,
      mimeType: 'image/png',
    });
    expect((await read(await arrived({}))).body['media']).toBeNull();
  });

  test('of which the sender says something impossible comes as bytes', async () => {
    const id = await withFile({ type: 'image', mimeType: 'text/html\r\nset-cookie: a=b' });
    await store.put(id, [FILE], FILE.length);
    const { status, headers } = await media(id);
    expect([status, headers.get('content-type'), headers.get('set-cookie')]).toEqual([
      200,
      'application/octet-stream',
      null,
    ]);
  });

  test('that failed is gone, with the reason', async () => {
    const id = await withFile({ type: 'image' }, { status: 'FAILED', size: null, reason: 'CORRUPT' });
    expect(await media(id)).toMatchObject({
      status: 410,
      body: { code: 'MEDIA_GONE', meta: { reason: 'CORRUPT' } },
    });
  });

  test('that is not kept any more is gone', async () => {
    expect(await media(await withFile({ type: 'image' }))).toMatchObject({
      status: 410,
      body: { code: 'MEDIA_GONE', meta: { reason: 'EXPIRED' } },
    });
  });

  test('is not found where there is none', async () => {
    expect(await media(await arrived({}))).toMatchObject({ status: 404, body: { code: 'MEDIA_NOT_FOUND' } });
    expect(await media(randomUUID())).toMatchObject({ status: 404, body: { code: 'MESSAGE_NOT_FOUND' } });
    expect(await media('x')).toMatchObject({ status: 404, body: { code: 'MESSAGE_NOT_FOUND' } });
  });

  test("is not another tenant's to read", async () => {
    const id = await withFile({ type: 'image' });
    await store.put(id, [FILE], FILE.length);
    const { apiKey } = await gateway.createTenant();
    expect(await media(id, apiKey)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  test('is for keys that may read messages', async () => {
    const id = await withFile({ type: 'image' });
    const made = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { scopes: ['messages:send'] });
    expect(await media(id, made.body['secret'] as string)).toMatchObject({ status: 403 });
  });
});

describe('a message of a group', () => {
  test('belongs to the conversation of the group, and says who wrote it', async () => {
    const quoted = { keyId: 'FIRST', body: { type: 'text' as const, text: 'Where?' } };
    const id = await arrived({
      chatId: GROUP,
      isGroup: true,
      quoted,
      mentions: ['15550003333@s.whatsapp.net'],
    });
    const list = await gateway.call(tenant.apiKey, `GET /v1/messages?contact=${encodeURIComponent(GROUP)}`);
    expect((list.body['items'] as MessageView[]).find((message) => message.id === id)).toMatchObject({
      contact: GROUP,
      origin: {
        ...{ sender: '15550002222@s.whatsapp.net', pushName: 'Ada', change: null },
        ...{ quoted, mentions: ['15550003333@s.whatsapp.net'] },
      },
    });
  });

  test('is answered with the name of its author', async () => {
    const replyTo = await arrived({ chatId: GROUP, isGroup: true, keyId: 'GROUPKEY' });
    const body = { sessionId, to: GROUP, text: 'Here', replyTo };
    expect(await gateway.call(tenant.apiKey, 'POST /v1/messages', body)).toMatchObject({ status: 200 });
    const commands = await gateway.commandsOf(sessionId);
    expect(commands.at(-1)?.data.content.quoted).toMatchObject({
      keyId: 'GROUPKEY',
      participant: '15550002222@s.whatsapp.net',
    });
  });

  test('that only edits another one cannot be answered', async () => {
    const replyTo = await arrived({ change: { kind: 'EDITED', keyId: 'FIRST' } });
    const body = { sessionId, to: '+15550002222', text: 'Here', replyTo };
    const { status, body: error } = await gateway.call(tenant.apiKey, 'POST /v1/messages', body);
    expect([status, JSON.stringify(error)]).toEqual([
      400,
      expect.stringContaining('shows in the chat by itself'),
    ]);
  });
});
