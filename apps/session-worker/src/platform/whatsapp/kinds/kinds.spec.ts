import { describe, expect, test } from '@jest/globals';
import { parseData, MessageBody } from '@svc/contracts';
import { toMessageBody } from '../content/message-body.js';

const body = (type: string, content: unknown, viewOnce = false): MessageBody =>
  toMessageBody({ type, content, viewOnce });

describe('a message of the platform becomes', () => {
  test.each([
    ['conversation', 'Hello', { type: 'text', text: 'Hello' }],
    ['extendedTextMessage', { text: 'Hello', matchedText: 'x' }, { type: 'text', text: 'Hello' }],
    [
      'imageMessage',
      { caption: 'c', mimetype: 'image/jpeg', mediaKey: 'secret' },
      { type: 'image', caption: 'c', mimeType: 'image/jpeg' },
    ],
    [
      'videoMessage',
      { mimetype: 'video/mp4', seconds: 3 },
      { type: 'video', mimeType: 'video/mp4', seconds: 3, isPtv: false },
    ],
    [
      'ptvMessage',
      { mimetype: 'video/mp4', seconds: 3 },
      { type: 'video', mimeType: 'video/mp4', seconds: 3, isPtv: true },
    ],
    [
      'audioMessage',
      { mimetype: 'audio/ogg', seconds: 2, ptt: true },
      { type: 'audio', mimeType: 'audio/ogg', seconds: 2, isPtt: true },
    ],
    [
      'documentMessage',
      { fileName: 'a.pdf', mimetype: 'application/pdf', pageCount: 2 },
      { type: 'document', filename: 'a.pdf', mimeType: 'application/pdf', pageCount: 2 },
    ],
    [
      'stickerMessage',
      { mimetype: 'image/webp', isAnimated: true },
      { type: 'sticker', mimeType: 'image/webp', isAnimated: true },
    ],
    [
      'locationMessage',
      { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'n', address: 'a' },
      { type: 'location', latitude: 52.5, longitude: 13.4, name: 'n', address: 'a' },
    ],
    ['contactMessage', { displayName: 'Ada', vcard: 'v' }, { type: 'contact', displayName: 'Ada', count: 1 }],
    [
      'contactsArrayMessage',
      { displayName: '2 contacts', contacts: [{ displayName: 'Ada' }, {}] },
      { type: 'contact', displayName: 'Ada', count: 2 },
    ],
    [
      'pollCreationMessageV3',
      { name: 'Lunch?', options: [{ optionName: 'yes' }, { optionName: 'no' }] },
      { type: 'poll', name: 'Lunch?', options: ['yes', 'no'] },
    ],
    [
      'reactionMessage',
      { text: '👍', key: { id: '3EB0' } },
      { type: 'reaction', emoji: '👍', targetKeyId: '3EB0' },
    ],
    [
      'reactionMessage',
      { text: '', key: { id: '3EB0' } },
      { type: 'reaction', emoji: '', targetKeyId: '3EB0' },
    ],
    ['paymentInviteMessage', { serviceType: 1 }, { type: 'unsupported', original: 'paymentInviteMessage' }],
  ])('%s', (type, content, expected) => {
    const mapped = body(type, content);
    expect(mapped).toEqual(expected);
    expect(() => parseData(MessageBody, mapped)).not.toThrow();
  });

  test('view_once around what is inside', () => {
    expect(body('imageMessage', { mimetype: 'image/png' }, true)).toEqual({
      type: 'view_once',
      inner: { type: 'image', mimeType: 'image/png' },
    });
  });

  test('something readable even when the platform leaves everything out', () => {
    expect(body('conversation', undefined)).toEqual({ type: 'text', text: '' });
    expect(body('imageMessage', undefined)).toEqual({ type: 'image' });
    expect(body('pollCreationMessage', {})).toEqual({ type: 'poll', options: [] });
  });
});
