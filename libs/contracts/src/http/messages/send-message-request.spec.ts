import { describe, expect, test } from '@jest/globals';
import type { AppError } from '../../app-error.js';
import { parseData } from '../../parsing.js';
import { SendMessageRequest } from './send-message-request.js';

const ID = '0198c0de-0000-7000-8000-000000000001';
const letters = (count: number): string => 'x'.repeat(count);
const list = (count: number): string[] => Array.from({ length: count }, (_, n) => `option ${n}`);
const entries = (count: number, value = 'x'): Record<string, string> =>
  Object.fromEntries(list(count).map((key) => [key, value]));

/** Fields of a request that break a rule. */
function problemsOf(fields: object): string[] {
  try {
    parseData(SendMessageRequest, { sessionId: ID, to: '+4915112345678', ...fields });
    return [];
  } catch (error) {
    const { meta } = error as AppError;
    return [...new Set((meta['fields'] as { field: string }[]).map(({ field }) => field))];
  }
}

const poll = (change: object) => ({ poll: { name: 'Lunch?', options: ['yes', 'no'], ...change } });
const location = (change: object) => ({ location: { latitude: 52, longitude: 13, ...change } });
const contact = (change: object) => ({ contact: { displayName: 'Ada', phone: '+4915112345678', ...change } });
const media = (change: object) => ({ media: { kind: 'image', mediaId: ID, ...change } });

describe('a request to send is taken at its bounds', () => {
  test.each<[string, object]>([
    ['the shortest text', { text: 'x' }],
    ['the longest text', { text: letters(65_536) }],
    ['the shortest recipient', { to: '12345' }],
    ['the longest recipient', { to: letters(64) }],
    ['the smallest poll', poll({ name: 'x', options: ['a', 'b'] })],
    ['the largest poll', poll({ name: letters(255), options: list(11).concat(letters(100)) })],
    ['the south-western end of the map', location({ latitude: -90, longitude: -180 })],
    ['the north-eastern end', location({ latitude: 90, longitude: 180 })],
    ['the longest place', location({ name: letters(255), address: letters(1_000) })],
    ['the longest contact', contact({ displayName: letters(255), phone: letters(64) })],
    ['the longest file name and caption', media({ filename: letters(255), caption: letters(4_096) })],
    ['the longest address of a file', media({ url: letters(2_048) })],
    ['a media type with parameters', media({ mimeType: 'audio/ogg; codecs=opus' })],
    ['a reaction that is taken back', { reaction: { messageId: ID, emoji: '' } }],
    ['the longest edit', { edit: { messageId: ID, text: letters(65_536) } }],
    ['the most people named', { text: 'x', mentions: list(100) }],
    ['the longest clientMessageId', { text: 'x', clientMessageId: letters(128) }],
    ['the most metadata', { text: 'x', metadata: entries(20, letters(500)) }],
    ['the longest key of metadata', { text: 'x', metadata: { [letters(40)]: '' } }],
    ['the shortest wait', { text: 'x', onDisconnected: 'queue', queueForSeconds: 1 }],
    ['the longest wait', { text: 'x', onDisconnected: 'queue', queueForSeconds: 86_400 }],
  ])('with %s', (_, fields) => {
    expect(problemsOf(fields)).toEqual([]);
  });
});

describe('a request to send is refused, naming the field,', () => {
  test.each<[string, object, string]>([
    ['an empty text', { text: '' }, 'text'],
    ['too long a text', { text: letters(65_537) }, 'text'],
    ['a text that is a number', { text: 7 }, 'text'],
    ['too short a recipient', { to: '1234' }, 'to'],
    ['too long a recipient', { to: letters(65) }, 'to'],
    ['a session that is no id', { sessionId: 'mine' }, 'sessionId'],
    ['one choice', poll({ options: ['a'] }), 'poll.options'],
    ['thirteen choices', poll({ options: list(13) }), 'poll.options'],
    ['the same choice twice', poll({ options: ['a', 'a'] }), 'poll.options'],
    ['an empty choice', poll({ options: ['a', ''] }), 'poll.options'],
    ['too long a choice', poll({ options: ['a', letters(101)] }), 'poll.options'],
    ['a poll without a question', poll({ name: '' }), 'poll.name'],
    ['a poll for "several" people', poll({ multiple: 'several' }), 'poll.multiple'],
    ['a place beyond the pole', location({ latitude: 90.1 }), 'location.latitude'],
    ['a place beyond the date line', location({ longitude: -180.1 }), 'location.longitude'],
    ['degrees as text', location({ latitude: '52' }), 'location.latitude'],
    ['too long a name of a place', location({ name: letters(256) }), 'location.name'],
    ['too long a street', location({ address: letters(1_001) }), 'location.address'],
    ['a contact without a name', contact({ displayName: '' }), 'contact.displayName'],
    ['too short a phone', contact({ phone: '1234' }), 'contact.phone'],
    ['a kind of file that nobody knows', media({ kind: 'hologram' }), 'media.kind'],
    ['an upload that is no id', media({ mediaId: '7' }), 'media.mediaId'],
    ['a file without bytes', media({ base64: '' }), 'media.base64'],
    ['a media type of one word', media({ mimeType: 'png' }), 'media.mimeType'],
    ['a file name of two lines', media({ filename: 'a\nb' }), 'media.filename'],
    ['too long a caption', media({ caption: letters(4_097) }), 'media.caption'],
    ['too long an address of a file', media({ url: letters(2_049) }), 'media.url'],
    ['a voice of "yes"', media({ voice: 'yes' }), 'media.voice'],
    ['a reaction to no id', { reaction: { messageId: 'x', emoji: '👍' } }, 'reaction.messageId'],
    ['too long an emoji', { reaction: { messageId: ID, emoji: letters(65) } }, 'reaction.emoji'],
    ['an edit to nothing', { edit: { messageId: ID, text: '' } }, 'edit.text'],
    ['a deletion of no id', { delete: {} }, 'delete.messageId'],
    ['an answer to no id', { text: 'x', replyTo: '1' }, 'replyTo'],
    ['too many people named', { text: 'x', mentions: list(101) }, 'mentions'],
    ['people named by number', { text: 'x', mentions: [4915112345678] }, 'mentions'],
    ['an empty clientMessageId', { text: 'x', clientMessageId: '' }, 'clientMessageId'],
    ['too long a clientMessageId', { text: 'x', clientMessageId: letters(129) }, 'clientMessageId'],
    ['a clientMessageId with a null byte', { text: 'x', clientMessageId: 'a\u0000' }, 'clientMessageId'],
    ['too much metadata', { text: 'x', metadata: entries(21) }, 'metadata'],
    ['too long a key of metadata', { text: 'x', metadata: { [letters(41)]: '' } }, 'metadata'],
    ['an empty key of metadata', { text: 'x', metadata: { '': 'x' } }, 'metadata'],
    ['too long a value of metadata', { text: 'x', metadata: entries(1, letters(501)) }, 'metadata'],
    ['metadata that is a list', { text: 'x', metadata: ['x'] }, 'metadata'],
    ['metadata of numbers', { text: 'x', metadata: { order: 4711 } }, 'metadata'],
    ['a time that is none', { text: 'x', sendAt: 'tomorrow' }, 'sendAt'],
    ['a third way to be disconnected', { text: 'x', onDisconnected: 'drop' }, 'onDisconnected'],
    ['no wait at all', { text: 'x', queueForSeconds: 0 }, 'queueForSeconds'],
    ['a wait of more than a day', { text: 'x', queueForSeconds: 86_401 }, 'queueForSeconds'],
    ['half a second', { text: 'x', queueForSeconds: 0.5 }, 'queueForSeconds'],
  ])('for %s', (_, fields, field) => {
    expect(problemsOf(fields)).toEqual([field]);
  });

  test('and what metadata says is not repeated: it may be about a person', () => {
    const metadata = { secret: letters(501) };
    const request = { sessionId: ID, to: '+4915112345678', text: 'x', metadata };
    expect(() => parseData(SendMessageRequest, request)).toThrow(
      'metadata "secret" must be a string of at most 500 characters',
    );
    expect(() => parseData(SendMessageRequest, request)).not.toThrow(/xxx/);
  });
});
