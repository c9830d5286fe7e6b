import { randomBytes } from 'node:crypto';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Stack } from '../support/stack.js';
import { SecondClient } from './second-client.js';
import type { ZapoFile } from './zapo.js';

const ACCOUNT = '4915550033000';

describe('a second, independent client and files', () => {
  let stack: Stack;
  let client: SecondClient;
  let lastContact = 4915550033200;
  const newContact = (): string => String(++lastContact);
  const file = randomBytes(70_000);

  beforeAll(async () => {
    stack = await Stack.start();
    client = await new SecondClient(stack).link(ACCOUNT);
  });
  afterAll(async () => {
    await client.stop();
    await stack.close();
  });

  test.each(['image', 'document'] as const)('fetches a file: %s', async (type) => {
    const name = type === 'document' ? { filename: 'invoice.pdf' } : { caption: 'The receipt' };
    const content = { type, ...name, media: { base64: file.toString('base64') } };
    const contact = newContact();
    const { body } = await stack.post<{ id: string }>(`/contacts/${contact}/messages`, {
      to: ACCOUNT,
      content,
    });
    const { message } = await client.messageOf(body.id);
    const { url, mediaKey, fileSha256, fileEncSha256 } = (message?.imageMessage ??
      message?.documentMessage) as Required<proto.Message.IImageMessage>;
    const fetched = await client.zapo.mediaTransfer.downloadAndDecrypt({
      ...{ url, mediaKey, fileSha256, fileEncSha256 },
      mediaType: type,
    });
    expect(Buffer.from(fetched).equals(file)).toBe(true);
    await stack.becomes(contact, body.id, 'DELIVERED');
  });

  test.each<[string, Omit<ZapoFile, 'media'>, object]>([
    [
      'an image',
      { type: 'image', mimetype: 'image/jpeg', caption: 'Look' },
      { type: 'image', caption: 'Look' },
    ],
    [
      'a document',
      { type: 'document', mimetype: 'application/pdf', fileName: 'invoice.pdf' },
      { type: 'document', filename: 'invoice.pdf' },
    ],
    ['a song', { type: 'audio', mimetype: 'audio/mpeg' }, { type: 'audio' }],
    ['a voice note', { type: 'audio', mimetype: 'audio/ogg; codecs=opus', ptt: true }, { type: 'audio' }],
    ['a video', { type: 'video', mimetype: 'video/mp4' }, { type: 'video' }],
    [
      'a video that plays by itself',
      { type: 'video', mimetype: 'video/mp4', gifPlayback: true },
      { type: 'video' },
    ],
    ['a sticker', { type: 'sticker', mimetype: 'image/webp' }, { type: 'sticker' }],
  ])('sends %s, which the contact gets', async (_kind, wanted, content) => {
    const contact = newContact();
    const { id } = await client.zapo.sendMessage(`${contact}@s.whatsapp.net`, {
      ...wanted,
      media: new Uint8Array(file),
    } as ZapoFile);
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, content }]);
    const got = await fetch(`${stack.simulator.control}/contacts/${contact}/messages/${id}/media`);
    expect(got.status).toBe(200);
    expect(Buffer.from(await got.arrayBuffer()).equals(file)).toBe(true);
    await client.receiptFor(id);
  });
});
