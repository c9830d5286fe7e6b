import { describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { compose, mentioning, quoting } from '../content/compose.js';
import { describeMessage } from '../content/describe.js';
import { stanzaTypes, textOfMessage, unwrapped } from '../content/platform-message.js';
import type { Kind } from './parts/kind.js';
import { ContentBody, type ContentFields, KIND_RULES, KINDS } from './kinds.js';

const STRICT = { whitelist: true, forbidNonWhitelisted: true };
const TARGET = { remoteJid: '4915550001000@s.whatsapp.net', fromMe: false, id: 'T1' };
const CARDS = [{ displayName: 'Ada', phone: '4915550003000' }, { displayName: 'Bob' }];
const PLACE = { latitude: 52.5, longitude: 13.25, name: 'Office', address: 'Road 1' };

/** Encodes a message by the protobuf and decodes it again, as the other side gets it. */
const encodeAndDecode = (message: proto.IMessage): proto.Message =>
  proto.Message.decode(proto.Message.encode(proto.Message.fromObject(message)).finish());

const made = (type: Kind, fields: ContentFields): proto.Message =>
  encodeAndDecode(compose({ type, ...fields }, { target: TARGET }));

interface Example {
  fields: ContentFields;
  /** Field of the platform's message that it is written in. */
  field: keyof proto.IMessage;
  stanza: object;
  words: string | null;
  /** Fields that are read besides those that were written. */
  also?: object;
}

const EXAMPLES: [Kind, Example][] = [
  ['text', { fields: { text: 'hi' }, field: 'conversation', stanza: { type: 'text' }, words: 'hi' }],
  [
    'image',
    {
      fields: { caption: 'c' },
      field: 'imageMessage',
      stanza: { type: 'media', mediatype: 'image' },
      words: 'c',
      also: { mimeType: 'image/jpeg' },
    },
  ],
  [
    'video',
    {
      fields: { caption: 'c', seconds: 3 },
      field: 'videoMessage',
      stanza: { type: 'media', mediatype: 'video' },
      words: 'c',
      also: { mimeType: 'video/mp4', isPtv: false },
    },
  ],
  [
    'video',
    {
      fields: { isPtv: true, mimeType: 'video/webm' },
      field: 'ptvMessage',
      stanza: { type: 'text' },
      words: null,
    },
  ],
  [
    'audio',
    {
      fields: { isPtt: true, seconds: 4 },
      field: 'audioMessage',
      stanza: { type: 'media', mediatype: 'audio' },
      words: null,
      also: { mimeType: 'audio/ogg; codecs=opus' },
    },
  ],
  [
    'document',
    {
      fields: { caption: 'c', filename: 'a.pdf', pageCount: 2, mimeType: 'application/pdf' },
      field: 'documentMessage',
      stanza: { type: 'media', mediatype: 'document' },
      words: 'c',
    },
  ],
  [
    'sticker',
    {
      fields: { isAnimated: true },
      field: 'stickerMessage',
      stanza: { type: 'media', mediatype: 'sticker' },
      words: null,
      also: { mimeType: 'image/webp' },
    },
  ],
  [
    'location',
    {
      fields: PLACE,
      field: 'locationMessage',
      stanza: { type: 'media', mediatype: 'location' },
      words: null,
    },
  ],
  [
    'contact',
    {
      fields: { contacts: CARDS.slice(0, 1) },
      field: 'contactMessage',
      stanza: { type: 'media', mediatype: 'vcard' },
      words: null,
    },
  ],
  [
    'contact',
    {
      fields: { contacts: CARDS },
      field: 'contactsArrayMessage',
      stanza: { type: 'media', mediatype: 'contact_array' },
      words: null,
    },
  ],
  [
    'poll',
    {
      fields: { name: 'Lunch?', options: ['yes', 'no'] },
      field: 'pollCreationMessageV3',
      stanza: { type: 'poll' },
      words: null,
    },
  ],
  [
    'reaction',
    {
      fields: { emoji: '👍', targetKeyId: 'T1' },
      field: 'reactionMessage',
      stanza: { type: 'reaction' },
      words: null,
    },
  ],
  [
    'edit',
    {
      fields: { text: 'three o’clock', targetKeyId: 'T1' },
      field: 'protocolMessage',
      stanza: { type: 'text', edit: '1' },
      words: null,
    },
  ],
  [
    'revoke',
    {
      fields: { targetKeyId: 'T1' },
      field: 'protocolMessage',
      stanza: { type: 'text', edit: '7' },
      words: null,
    },
  ],
  [
    'vote',
    {
      fields: { choices: ['yes'], targetKeyId: 'T1' },
      field: 'pollUpdateMessage',
      stanza: { type: 'poll' },
      words: null,
      // The options can be read by who has the poll.
      also: { choices: undefined },
    },
  ],
];

describe('a message of each kind', () => {
  test('there is an example of every kind', () => {
    expect(new Set(EXAMPLES.map(([kind]) => kind))).toEqual(new Set(KINDS));
  });

  test.each(EXAMPLES)('%s is read in the words it was written in', (kind, { fields, also }) => {
    expect(describeMessage(made(kind, fields))).toEqual({ type: kind, ...fields, ...also });
  });

  test.each(EXAMPLES)('%s is announced as its kind, and shows its words in lists', (kind, example) => {
    const message = made(kind, example.fields);
    expect(unwrapped(message)[example.field]).toBeTruthy();
    expect(stanzaTypes(message)).toEqual(example.stanza);
    expect(textOfMessage(message)).toBe(example.words);
  });

  test.each(EXAMPLES)(
    '%s is taken by the control API with its fields, and with a wrong one of them is not',
    (kind, example) => {
      const check = (fields: object) => validateSync(plainToInstance(ContentBody, fields), STRICT);
      expect(check(example.fields)).toEqual([]);
      for (const name of KIND_RULES[kind].required) {
        expect(check({ ...example.fields, [name]: { no: 'value' } }).map(({ property }) => property)).toEqual(
          [name],
        );
      }
      expect(Object.keys(example.fields)).toEqual(expect.arrayContaining([...KIND_RULES[kind].required]));
    },
  );

  test('the control API takes no field that no kind has', () => {
    const errors = validateSync(plainToInstance(ContentBody, { text: 'hi', smell: 'roses' }), STRICT);
    expect(errors.map(({ property }) => property)).toEqual(['smell']);
  });
});

describe('what is around a message', () => {
  test('once-only is an envelope, which is read as such and hides no words', () => {
    const message = made('image', { caption: 'c', viewOnce: true });
    expect(message.viewOnceMessageV2?.message?.imageMessage).toBeTruthy();
    expect(describeMessage(message)).toMatchObject({ type: 'image', viewOnce: true });
    expect([textOfMessage(message), stanzaTypes(message)]).toEqual([
      'c',
      { type: 'media', mediatype: 'image' },
    ]);
  });

  test('a message of a chat with a timer is read with it', () => {
    const contextInfo = { expiration: 86_400 };
    const message = encodeAndDecode(compose({ type: 'text', text: 'soon gone' }, { contextInfo }));
    expect(describeMessage(message)).toEqual({ type: 'text', text: 'soon gone', disappearsAfter: 86_400 });
  });

  test('an answer that names people is read with both', () => {
    const contextInfo = {
      ...quoting('Q1', '4915550001000', { conversation: '?' }),
      ...mentioning(['4915550003000']),
    };
    const message = encodeAndDecode(compose({ type: 'text', text: 'yes' }, { contextInfo }));
    const words = { type: 'text', text: 'yes', quotedKeyId: 'Q1', mentions: ['4915550003000'] };
    expect(describeMessage(message)).toEqual(words);
  });

  test.each<[string, proto.IMessage, object]>([
    ['an invitation', { groupInviteMessage: { groupJid: '1@g.us' } }, { original: 'groupInviteMessage' }],
    ['nothing', {}, { original: 'empty' }],
    ['a key alone', { senderKeyDistributionMessage: { groupId: '1@g.us' } }, { original: 'empty' }],
    ['a word of the protocol', { protocolMessage: { type: 6 } }, { original: 'protocolMessage' }],
    [
      'another word about a message',
      { protocolMessage: { type: 3, key: TARGET } },
      { original: 'protocolMessage' },
    ],
    ['a revocation of nothing', { protocolMessage: { type: 0 } }, { original: 'protocolMessage' }],
  ])('%s is unsupported, by its name', (_what, message, expected) => {
    expect(describeMessage(encodeAndDecode(message))).toEqual({ type: 'unsupported', ...expected });
  });

  test('an edit of a picture is read as an edit with the words of the picture', () => {
    const editedMessage = { imageMessage: { caption: 'new', mimetype: 'image/png' } };
    const message = encodeAndDecode({ protocolMessage: { type: 14, key: TARGET, editedMessage } });
    const words = { type: 'edit', caption: 'new', mimeType: 'image/png', targetKeyId: 'T1' };
    expect(describeMessage(message)).toEqual(words);
  });

  test.each(['TEL;type=CELL;waid=4915550003000:+49 155 50003000', 'TEL:+49-155-50003000'])(
    'the number of a card is read from %j',
    (line) => {
      const vcard = ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ada', line, 'END:VCARD'].join('\n');
      const message = encodeAndDecode({ contactMessage: { displayName: 'Ada', vcard } });
      expect(describeMessage(message).contacts).toEqual([{ displayName: 'Ada', phone: '4915550003000' }]);
    },
  );

  test('every poll has a secret of its own', () => {
    const [one, other] = [made('poll', { name: '?', options: [] }), made('poll', { name: '?', options: [] })];
    expect(one.messageContextInfo?.messageSecret).toHaveLength(32);
    expect(one.messageContextInfo?.messageSecret).not.toEqual(other.messageContextInfo?.messageSecret);
  });
});
