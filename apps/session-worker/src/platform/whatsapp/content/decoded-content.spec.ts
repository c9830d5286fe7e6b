import { describe, expect, test } from '@jest/globals';
import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { type DecodedContent, readContent } from './decoded-content.js';

function read(message: proto.IMessage): DecodedContent {
  const content = readContent(encodeWAMessage(message));
  if (typeof content !== 'object') throw new Error(`It is ${content}.`);
  return content;
}

const quoting = (quotedMessage: proto.IMessage, more: proto.IContextInfo = {}): proto.IMessage => ({
  extendedTextMessage: { text: 'outer', contextInfo: { stanzaId: 'Q', quotedMessage, ...more } },
});

describe('the advert that brought a message', () => {
  const referral = (contextInfo: proto.IContextInfo) =>
    read({ extendedTextMessage: { text: 'Hi', contextInfo } }).referral;

  test('is told with what the platform says of it', () => {
    const externalAdReply = { sourceType: 'ad', ctwaClid: 'CLICK', title: 'Cakes' };
    expect(referral({ externalAdReply, entryPointConversionSource: 'ctwa_ad' })).toEqual({
      ...{ sourceType: 'ad', clickId: 'CLICK', title: 'Cakes', entryPoint: 'ctwa_ad' },
    });
  });

  test('may be known by its place alone', () => {
    expect(referral({ conversionSource: 'FB_Ads', entryPointConversionApp: 'instagram' })).toEqual({
      ...{ conversionSource: 'FB_Ads', app: 'instagram' },
    });
    expect(referral({ ctwaSignals: 'opaque' })).toEqual({});
  });

  test('is none where only the way into the chat is known', () => {
    expect(referral({ entryPointConversionSource: 'global_search_new_chat' })).toBeUndefined();
  });
});

describe('how a message belongs to another one', () => {
  const { AssociationType } = proto.MessageAssociation;
  const tied = (associationType: number): proto.IMessage => ({
    messageContextInfo: { messageAssociation: { associationType, parentMessageKey: { id: 'ALBUM' } } },
    imageMessage: { caption: 'c' },
  });

  test('a picture names its album, also within an envelope', () => {
    const picture = tied(AssociationType.MEDIA_ALBUM);
    expect(read(picture)).toMatchObject({ type: 'imageMessage', albumOf: 'ALBUM' });
    expect(read({ associatedChildMessage: { message: picture } })).toMatchObject({ albumOf: 'ALBUM' });
  });

  test.each([
    AssociationType.HD_IMAGE_DUAL_UPLOAD,
    AssociationType.HD_VIDEO_DUAL_UPLOAD,
    AssociationType.MOTION_PHOTO,
    AssociationType.HEVC_VIDEO_DUAL_UPLOAD,
  ])('the same file in another quality is no second message (%s)', (type) => {
    expect(readContent(encodeWAMessage(tied(type)))).toBeUndefined();
  });
});

describe('what a message holds within it', () => {
  test('of a quote what it says is read, and not what it quotes itself', () => {
    let message: proto.IMessage = { conversation: 'innermost' };
    for (let n = 0; n < 500; n += 1) message = quoting(message);
    const { content, quoted } = read(message);
    expect(content).toEqual({ text: 'outer' });
    expect(quoted).toEqual({
      keyId: 'Q',
      content: { type: 'extendedTextMessage', content: { text: 'outer' }, viewOnce: false },
    });
  });

  test('of an edit the new text is read with what it quotes, and no edit in it', () => {
    const edit = (editedMessage: proto.IMessage): proto.IMessage => ({
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
        key: { id: 'E' },
        editedMessage,
      },
    });
    expect(read(edit(quoting({ conversation: 'quoted' })))).toMatchObject({
      change: { kind: 'EDITED', keyId: 'E' },
      quoted: { keyId: 'Q', content: { content: 'quoted' } },
    });
    expect(readContent(encodeWAMessage(edit(edit({ conversation: 'deep' }))))).toBeUndefined();
  });

  test('envelopes without end are opened so far and no further', () => {
    let message: proto.IMessage = { conversation: 'innermost' };
    for (let n = 0; n < 100; n += 1) message = { ephemeralMessage: { message } };
    expect(read(message).type).toBe('ephemeralMessage');
  });

  test('a thousand people may be named, each once', () => {
    const mentionedJid = Array.from({ length: 6_000 }, (_, n) => `${n % 3_000}@lid`);
    const { mentions } = read(quoting({ conversation: 'x' }, { mentionedJid }));
    expect(mentions).toHaveLength(1_000);
    expect(new Set(mentions).size).toBe(1_000);
  });

  test('an id that no index keeps is named by its hash', () => {
    const { quoted } = read(quoting({ conversation: 'x' }, { stanzaId: 'I'.repeat(900_000) }));
    expect(quoted?.keyId).toMatch(/^[0-9a-f]{64}$/);
  });
});
