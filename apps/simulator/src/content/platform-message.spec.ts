import { expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { stanzaTypes, textOfMessage, toJson } from './platform-message.js';

const made = (message: Record<string, unknown>): proto.Message => proto.Message.fromObject(message);

test.each<[Record<string, unknown>, string | null]>([
  [{ conversation: 'plain' }, 'plain'],
  [{ extendedTextMessage: { text: 'extended' } }, 'extended'],
  [{ imageMessage: { caption: 'picture' } }, 'picture'],
  [{ documentWithCaptionMessage: { message: { documentMessage: { caption: 'paper' } } } }, 'paper'],
  [{ ephemeralMessage: { message: { conversation: 'gone soon' } } }, 'gone soon'],
  [{ locationMessage: { degreesLatitude: 1 } }, null],
  [{}, null],
])('finds the words of %j', (message, words) => {
  expect(textOfMessage(made(message))).toBe(words);
});

test.each<[Record<string, unknown>, { type: string; mediatype?: string; edit?: string }]>([
  [{ conversation: 'x' }, { type: 'text' }],
  [{ imageMessage: {} }, { type: 'media', mediatype: 'image' }],
  [
    { documentWithCaptionMessage: { message: { documentMessage: {} } } },
    { type: 'media', mediatype: 'document' },
  ],
  [{ viewOnceMessageV2: { message: { videoMessage: {} } } }, { type: 'media', mediatype: 'video' }],
  [{ protocolMessage: { type: 14, editedMessage: { conversation: 'y' } } }, { type: 'text', edit: '1' }],
  [{ protocolMessage: { type: 0 } }, { type: 'text', edit: '7' }],
  [{ reactionMessage: { text: '👍' } }, { type: 'reaction' }],
  [{ pollCreationMessageV3: { name: 'lunch?' } }, { type: 'poll' }],
])('announces %j as %j', (message, types) => {
  expect(stanzaTypes(made(message))).toEqual(types);
});

test('shows bytes as base64', () => {
  const shown = toJson(made({ imageMessage: { mediaKey: Buffer.from('key') } }));
  expect(shown).toEqual({ imageMessage: { mediaKey: 'a2V5' } });
});
