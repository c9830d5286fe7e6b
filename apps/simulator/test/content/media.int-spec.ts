import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent as HttpsAgent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyMessageContent, downloadMediaMessage } from '@whiskeysockets/baileys';
import { Agent } from 'undici';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550011000';
const digest = (file: Buffer): string => createHash('sha256').update(file).digest('hex');

describe('files', () => {
  let stack: Stack;
  let client: PhoneClient;
  let directory: string;
  let ca: string;
  let lastContact = 4915550011100;
  const newContact = (): string => String(++lastContact);
  const trusting = () => ({
    fetchAgent: new HttpsAgent({ ca }),
    options: { dispatcher: new Agent({ connect: { ca } }) } as unknown as RequestInit,
  });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'simulator-media-'));
    const trustRootFile = join(directory, 'new', 'trust-root');
    stack = await Stack.start({ caFile: join(directory, 'new', 'ca.pem'), trustRootFile });
    ca = await (await fetch(`${stack.simulator.control}/media/ca.pem`)).text();
    client = await stack.linked(ACCOUNT, trusting());
  });
  afterAll(async () => {
    await stack.close();
    await rm(directory, { recursive: true });
  });

  const send = async (contact: string, content: AnyMessageContent): Promise<string> => {
    const sent = await client.socket.sendMessage(`${contact}@s.whatsapp.net`, content);
    return sent?.key.id ?? '';
  };
  const writeFile = async (contact: string, content: object): Promise<string> => {
    const answer = await stack.post<{ id: string }>(`/contacts/${contact}/messages`, {
      to: ACCOUNT,
      content,
    });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const download = async (id: string): Promise<Buffer> => {
    const message = await until(() => client.messageOf(id), 'the message');
    return (await downloadMediaMessage(message, 'buffer', trusting())) as Buffer;
  };

  test('the certificate is told over HTTP and in a file, the trust root in another', async () => {
    expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    expect(await readFile(join(directory, 'new', 'ca.pem'), 'utf8')).toBe(ca);
    expect(await readFile(join(directory, 'new', 'trust-root'), 'utf8')).toBe(
      `${stack.simulator.trustRoot}\n`,
    );
  });

  const file = randomBytes(70_000);
  test.each<[string, AnyMessageContent, object]>([
    [
      'an image',
      { image: file, caption: 'Look' },
      { type: 'image', caption: 'Look', mimeType: 'image/jpeg' },
    ],
    ['a video', { video: file, caption: 'Play' }, { type: 'video', caption: 'Play', isPtv: false }],
    ['a round video note', { video: file, ptv: true }, { type: 'video', isPtv: true }],
    ['a voice note', { audio: file, ptt: true, seconds: 7 }, { type: 'audio', isPtt: true, seconds: 7 }],
    [
      'a document',
      { document: file, fileName: 'offer.pdf', mimetype: 'application/pdf', caption: 'Our offer' },
      { type: 'document', filename: 'offer.pdf', mimeType: 'application/pdf', caption: 'Our offer' },
    ],
    ['a sticker', { sticker: file }, { type: 'sticker', isAnimated: false }],
    ['what vanishes', { image: file, viewOnce: true }, { type: 'image', viewOnce: true }],
  ])('%s that a client uploads reaches the contact, decrypted', async (_what, content, expected) => {
    const contact = newContact();
    const id = await send(contact, content);
    const [received] = await stack.receivedBy(contact);
    const media = { bytes: file.length, sha256: digest(file), problem: null };
    expect(received).toMatchObject({ id, content: { ...expected, media } });
    const bytes = await fetch(`${stack.simulator.control}/contacts/${contact}/messages/${id}/media`);
    expect(digest(Buffer.from(await bytes.arrayBuffer()))).toBe(digest(file));
  });

  test.each(['image', 'video', 'audio', 'document', 'sticker'])(
    'of a contact (%s) can be downloaded by the client',
    async (type) => {
      const base64 = randomBytes(30_000).toString('base64');
      const id = await writeFile(newContact(), { type, media: { base64 } });
      expect((await download(id)).toString('base64')).toBe(base64);
    },
  );

  test('made up by their size are the same every time', async () => {
    const content = { type: 'document', filename: 'long.txt', media: { size: 1_000 } };
    const files = [];
    for (const id of [await writeFile(newContact(), content), await writeFile(newContact(), content)]) {
      files.push(await download(id));
    }
    expect(files[0]).toHaveLength(1_000);
    expect(files[1]).toEqual(files[0]);
  });

  test('that are missing on purpose cannot be fetched', async () => {
    const id = await writeFile(newContact(), { type: 'image', media: { size: 100, fault: 'missing' } });
    await expect(download(id)).rejects.toMatchObject({ output: { statusCode: 404 } });
  });

  test('that are altered on purpose differ from their digest, which the client does not see', async () => {
    const id = await writeFile(newContact(), { type: 'image', media: { size: 100, fault: 'altered' } });
    const altered = await download(id);
    const message = (await until(() => client.messageOf(id), 'the message')).message;
    const claimed = Buffer.from(message?.imageMessage?.fileSha256 ?? []).toString('hex');
    expect(digest(altered)).not.toBe(claimed);
  });

  test('that the host refuses fail at the client, as often as asked for', async () => {
    const contact = newContact();
    await stack.put('/faults', { mediaStatus: 507, mediaCount: 1 });
    await expect(send(contact, { image: file })).rejects.toThrow(/upload failed on all hosts/i);
    await send(contact, { image: file });
    expect(await stack.receivedBy(contact)).toHaveLength(1);
    expect((await stack.get('/faults')).body).toMatchObject({ mediaStatus: null, mediaCount: null });
  });

  test('that a contact cannot open say why', async () => {
    const contact = newContact();
    const { message } =
      (await client.socket.sendMessage(`${newContact()}@s.whatsapp.net`, { image: file })) ?? {};
    const forged = { imageMessage: { ...message?.imageMessage, fileSha256: Buffer.alloc(32) } };
    const id = await client.socket.relayMessage(`${contact}@s.whatsapp.net`, forged, {});
    const [received] = await stack.receivedBy(contact);
    expect(received?.content).toMatchObject({ media: { problem: 'the digest of the file differs' } });
    expect((await stack.get(`/contacts/${contact}/messages/${id}/media`)).status).toBe(404);
  });

  test('are taken only from those who know the token, under the digest of their bytes', async () => {
    const upload = (auth: string, token: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const url = `https://${stack.simulator.mediaHost}/mms/image/${token}?auth=${auth}`;
        const posted = request(url, { method: 'POST', ca }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        posted.on('error', reject).end('a file');
      });
    const token = createHash('sha256').update('a file').digest('base64url');
    expect(await upload('4915550011000.00', token)).toBe(401);
    const { attrs } = await client.socket
      .query({
        tag: 'iq',
        attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:m' },
        content: [{ tag: 'media_conn', attrs: {} }],
      })
      .then(({ content }) => (content as { attrs: { auth: string } }[])[0] ?? { attrs: { auth: '' } });
    expect(await upload(attrs.auth, 'AAAA')).toBe(400);
    expect(await upload(attrs.auth, token)).toBe(200);
  });
});
