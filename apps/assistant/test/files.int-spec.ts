import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AssistantSettings, MessageBody } from '@svc/contracts';
import { type MediaStore, type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { waitFor } from '@svc/testing';
import { aDocx, aJpeg, aPdf, aPdfOfSize } from './sample-files.js';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
let store: MediaStore;
beforeAll(async () => {
  scene = await Scene.start();
  store = await openMediaStore({ mediaDir: scene.folder } as MediaStoreConfig);
});
afterAll(() => scene.stop());

/** A contact sends a file; null: one that is not there any more. */
async function send(shop: Shop, chat: string, body: MessageBody, file: Buffer | null): Promise<void> {
  const messageId = randomUUID();
  if (file) await store.put(messageId, [file], 100_000_000);
  await shop.write(chat, '', { messageId, body });
}

/** Content of the messages that the model got last, without its orders. */
async function contents(shop: Shop): Promise<unknown[]> {
  const calls = await scene.model.calls(shop.key);
  return (calls.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);
}

/** A contact sends a file alone. @returns what the model gets of it */
async function modelGets(
  settings: Partial<AssistantSettings>,
  body: MessageBody,
  file: Buffer | null,
): Promise<unknown> {
  const shop = await scene.shop(settings);
  const chat = aContact();
  await send(shop, chat, body, file);
  expect(await shop.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
  return (await contents(shop)).at(-1);
}

const pictureOf = (type: string) => ({
  type: 'image_url',
  image_url: { url: expect.stringMatching(`^data:${type};base64,`) as unknown },
});
const IMAGE: MessageBody = { type: 'image', mimeType: 'image/jpeg', caption: 'How much is this?' };
const WORDS = '[image] How much is this?';

describe('a picture of the contact', () => {
  test('is seen by the model, with what stands below it', async () => {
    expect(await modelGets({ readPictures: true }, IMAGE, aJpeg())).toEqual([
      { type: 'text', text: WORDS },
      pictureOf('image/jpeg'),
    ]);
  });

  test('is a word for it where the settings do not say otherwise', async () => {
    expect(await modelGets({}, IMAGE, aJpeg())).toBe(WORDS);
  });

  test.each([
    ['that is gone', null],
    ['that is no picture, whatever its type says', Buffer.from('<html>'.repeat(50))],
    ['that is larger than 3 MB', aJpeg(3_000_000)],
  ])('%s is a word for it', async (_, file) => {
    expect(await modelGets({ readPictures: true }, IMAGE, file)).toBe(WORDS);
  });

  test('of an album is seen with the others in one turn, the four newest of them', async () => {
    const shop = await scene.shop({ readPictures: true, debounceMs: 400 });
    const chat = aContact();
    for (let count = 0; count < 5; count += 1) await send(shop, chat, { type: 'image' }, aJpeg());
    expect(await shop.ended(chat)).toHaveLength(1);
    const seen = [{ type: 'text', text: '[image]' }, pictureOf('image/jpeg')];
    expect(await contents(shop)).toEqual(['[image]', seen, seen, seen, seen]);
  });

  test('is seen again when the contact asks about it later, and one of the business is not', async () => {
    const shop = await scene.shop({ readPictures: true });
    const chat = aContact();
    const [theirs, ours] = [randomUUID(), randomUUID()];
    for (const id of [theirs, ours]) await store.put(id, [aJpeg()], 100_000);
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    const row = { createdAt, sentBy: null, body: { type: 'image' } };
    scene.around.history = [
      { ...row, messageId: ours, fromMe: true },
      { ...row, messageId: theirs, fromMe: false },
    ];
    await shop.write(chat, 'Is it still there?');
    await shop.ended(chat);
    scene.around.history = [];
    const all = await contents(shop);
    expect(all).toHaveLength(3);
    expect(all).toEqual(
      expect.arrayContaining([
        '[image]',
        [{ type: 'text', text: '[image]' }, pictureOf('image/jpeg')],
        'Is it still there?',
      ]),
    );
  });

  test('is seen where the question has room for it: 6 MB in all, the newest first', async () => {
    const shop = await scene.shop({ readPictures: true, debounceMs: 400 });
    const chat = aContact();
    for (let count = 0; count < 3; count += 1) await send(shop, chat, { type: 'image' }, aJpeg(2_500_000));
    await shop.ended(chat);
    const seen = [{ type: 'text', text: '[image]' }, pictureOf('image/jpeg')];
    expect(await contents(shop)).toEqual(['[image]', seen, seen]);
  });

  test('is left out where the provider refuses the question with it', async () => {
    const shop = await scene.shop({ readPictures: true });
    await scene.model.rules(shop.key, [{ times: 1, error: { status: 400 } }, { text: 'Four euros.' }]);
    const chat = aContact();
    await send(shop, chat, IMAGE, aJpeg());
    expect(await shop.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
    expect(await contents(shop)).toEqual([WORDS]);
    expect(await scene.model.calls(shop.key)).toHaveLength(2);
  });

  test('has room beside those of another tenant, whose slow model holds as many as it may', async () => {
    const [slow, quick] = [
      await scene.shop({ readPictures: true }),
      await scene.shop({ readPictures: true }),
    ];
    await scene.model.rules(slow.key, [{ text: 'Nice.', delayMs: 20_000 }]);
    for (let count = 0; count < 20; count += 1)
      await send(slow, aContact(), { type: 'image' }, aJpeg(2_900_000));
    await waitFor('the room to be taken', async () => (await scene.model.calls(slow.key)).length >= 8);
    const chat = aContact();
    await send(quick, chat, { type: 'image' }, aJpeg(2_900_000));
    await quick.ended(chat);
    expect(await contents(quick)).toEqual([[{ type: 'text', text: '[image]' }, pictureOf('image/jpeg')]]);
    // All that this tenant may hold is held: none of its twelve others was asked about.
    expect(await scene.model.calls(slow.key)).toHaveLength(8);
    await scene.model.rules(slow.key, [{ text: 'Nice.' }]);
  });

  test('waits for its turn where others hold all the room, and is seen then', async () => {
    const shop = await scene.shop({ readPictures: true, answersPerContactPerDay: 100 });
    await scene.model.rules(shop.key, [{ text: 'Nice.', delayMs: 1_000 }]);
    const chats = Array.from({ length: 20 }, aContact);
    for (const chat of chats) await send(shop, chat, { type: 'image' }, aJpeg(2_900_000));
    for (const chat of chats) expect(await shop.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
    const calls = await scene.model.calls(shop.key);
    const isSeen = calls.map(({ messages }) => messages.some(({ content }) => Array.isArray(content)));
    expect(isSeen).toEqual(chats.map(() => true));
  });
});

const NAMED: MessageBody = { type: 'document', filename: 'offer' };
const LINE = '[document: offer]';

describe('a document of the contact', () => {
  const READ = { readDocuments: true };
  const deleted = '<w:delText>We had rye.</w:delText>';
  test.each([
    ['a PDF', aPdf(['We have rye bread.', 'Two euros.']), 'We have rye bread.\n\nTwo euros.'],
    [
      'a Word document, without what was deleted in it',
      aDocx([`<w:t>We have</w:t>${deleted}<w:tab/><w:t>rye &amp; oat.</w:t>`, '<w:t>Two.</w:t>']),
      'We have rye & oat.\n\nTwo.',
    ],
    ['text', Buffer.from('Größe 3\r\n\r\n\r\n\r\nzwei Euro'), 'Größe 3\n\nzwei Euro'],
    ['text of an old program', Buffer.from('Gr\xf6\xdfe 3', 'latin1'), 'Größe 3'],
    ['text in UTF-16', Buffer.from('\ufeffGröße 3', 'utf16le'), 'Größe 3'],
    ['HTML', Buffer.from('<!doctype html><p>Rye<script>alert(1)</script>'), 'Rye'],
  ])('that is %s is read', async (_, file, text) => {
    expect(await modelGets(READ, NAMED, file)).toBe(`${LINE}\n${text}`);
  });

  test('is read by its first 6,000 characters', async () => {
    const got = await modelGets(READ, NAMED, Buffer.from('ab😀'.repeat(5_000)));
    expect(String(got).length).toBe(LINE.length + 1 + 6_000);
  });

  test('is a word for it where the settings do not say otherwise', async () => {
    expect(await modelGets({ readPictures: true }, NAMED, aPdf(['Rye']))).toBe(LINE);
  });

  const bomb = (bytes: number): Uint8Array => new Uint8Array(bytes);
  test.each([
    ['that is gone', null],
    ['that is no text', Buffer.from([1, 2, 3, 0, 0, 5])],
    ['that is empty', Buffer.from(' \n ')],
    ['that is cut', aPdf(['Rye']).subarray(0, 60)],
    ['that is an archive of something else', aDocx([], { 'word/document.xml': bomb(0) })],
    ['of more than 10 MB', Buffer.alloc(10_000_001, 'a')],
    ['whose marks have no end', aDocx(['<w:delText '.repeat(100_000)])],
    ['that unpacks to 300 MB', aDocx([], { 'word/document.xml': bomb(300_000_000) })],
    ['whose page unpacks to 600 MB', aPdfOfSize(600_000_000)],
  ])(
    '%s is a word for it',
    async (_, file) => {
      expect(await modelGets(READ, NAMED, file)).toBe(LINE);
    },
    60_000,
  );
});
