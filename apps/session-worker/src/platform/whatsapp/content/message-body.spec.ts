import { describe, expect, test } from '@jest/globals';
import type { DecodedContent } from './decoded-content.js';
import { inboundContent, toMessageBody } from './message-body.js';

const decoded = (type: string, content: unknown, more: Partial<DecodedContent> = {}): DecodedContent => ({
  type,
  content,
  viewOnce: false,
  ...more,
});

const KEY = Buffer.alloc(32, 7).toString('base64');
const A_FILE = { url: 'https://mmg.example/1', mediaKey: KEY, fileSha256: KEY, fileEncSha256: KEY };

describe('the body of a message', () => {
  test('is its text, whether the platform wraps it or not', () => {
    expect(toMessageBody(decoded('conversation', 'hello'))).toEqual({ type: 'text', text: 'hello' });
    expect(toMessageBody(decoded('extendedTextMessage', { text: 'hello' }))).toEqual({
      ...{ type: 'text', text: 'hello' },
    });
  });

  test('is an empty text where the platform carried none', () => {
    for (const content of [undefined, null, {}])
      expect(toMessageBody(decoded('extendedTextMessage', content))).toEqual({ type: 'text', text: '' });
  });

  test('has no field of which nothing is known', () => {
    const body = toMessageBody(decoded('imageMessage', { caption: 'a cat', mimetype: undefined }));
    expect(Object.entries(body)).toEqual([
      ['type', 'image'],
      ['caption', 'a cat'],
    ]);
  });

  test('names what has no kind of ours', () => {
    expect(toMessageBody(decoded('newsletterMessage', { a: 1 }))).toEqual({
      ...{ type: 'unsupported', original: 'newsletterMessage' },
    });
  });

  test('is around the inner one where it is to be seen once', () => {
    expect(toMessageBody(decoded('imageMessage', { caption: 'a cat' }, { viewOnce: true }))).toEqual({
      type: 'view_once',
      inner: { type: 'image', caption: 'a cat' },
    });
  });
});

describe('the content of a message', () => {
  test('of a text is the name of the platform and the body, and nothing else', () => {
    expect(inboundContent(decoded('conversation', 'hello'))).toEqual({
      type: 'conversation',
      body: { type: 'text', text: 'hello' },
    });
    expect(Object.keys(inboundContent(decoded('conversation', 'hello')))).toEqual(['type', 'body']);
  });

  test('says whether its file can be fetched', () => {
    expect(inboundContent(decoded('imageMessage', A_FILE))).toMatchObject({ file: 'FETCHABLE' });
    for (const lacking of Object.keys(A_FILE))
      expect(inboundContent(decoded('imageMessage', { ...A_FILE, [lacking]: undefined }))).toMatchObject({
        file: 'UNREACHABLE',
      });
  });

  test('has no file where it changes another message, whatever it carries', () => {
    const change = { kind: 'EDITED', keyId: 'KEY-1' } as const;
    const content = inboundContent(decoded('imageMessage', A_FILE, { change }));
    expect(content).not.toHaveProperty('file');
    expect(content).toMatchObject({ change, body: { type: 'image' } });
  });

  test('names the people in it', () => {
    const mentions = ['4915112345678@s.whatsapp.net'];
    expect(inboundContent(decoded('conversation', 'hello', { mentions }))).toMatchObject({ mentions });
  });

  test('says which message it answers, and what that said', () => {
    const quoted = { keyId: 'KEY-1', author: 'somebody', content: decoded('imageMessage', A_FILE) };
    expect(inboundContent(decoded('conversation', 'yes', { quoted })).quoted).toEqual({
      keyId: 'KEY-1',
      author: 'somebody',
      content: { type: 'imageMessage', body: { type: 'image' }, file: 'FETCHABLE' },
    });
  });

  test('says which message it answers where it does not carry what that said', () => {
    const { quoted } = inboundContent(decoded('conversation', 'yes', { quoted: { keyId: 'KEY-1' } }));
    expect(quoted).toEqual({ keyId: 'KEY-1' });
    expect(quoted).not.toHaveProperty('content');
  });
});
