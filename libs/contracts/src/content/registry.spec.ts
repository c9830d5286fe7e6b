import { IsString } from 'class-validator';
import { describe, expect, test } from '@jest/globals';
import { parseData } from '../parsing.js';
import { field, sharedFields } from './parts/field.js';
import { MEDIA_KINDS } from './kinds/media-rules.js';
import { MessageBody } from './message-body.js';
import { OutboundContent } from './outbound-content.js';
import {
  CONTENT,
  CONTENT_FIELDS,
  MESSAGE_BODY_FIELDS,
  MESSAGE_BODY_TYPES,
  OUTBOUND_TYPES,
  type OutboundType,
  SENDING_RULES,
} from './registry.js';

const TARGET = { keyId: '3EB0', fromMe: true };
const FILE = { url: 'https://example.com/a.png' };
/** Least content of each kind on the wire. */
const WIRE: Record<OutboundType, object> = {
  text: { text: 'Hi' },
  image: { media: FILE },
  video: { media: FILE },
  audio: { media: FILE },
  document: { media: FILE },
  sticker: { media: FILE },
  location: { location: { latitude: 52, longitude: 13 } },
  contact: { contact: { displayName: 'Ada', phone: '+4915112345678' } },
  poll: { poll: { name: 'Lunch?', options: ['yes', 'no'] } },
  reaction: { emoji: '', target: TARGET },
  edit: { text: 'Hi', target: TARGET },
  delete: { target: TARGET },
};
const kinds = Object.entries(WIRE);

describe('the lists that follow from the kinds', () => {
  test('are those of the specification, in its order', () => {
    expect(CONTENT_FIELDS).toEqual([
      ...['text', 'media', 'location', 'contact', 'poll', 'reaction', 'edit', 'delete'],
    ]);
    expect(MESSAGE_BODY_TYPES).toEqual([
      ...[
        'text',
        'image',
        'video',
        'audio',
        'document',
        'sticker',
        'location',
        'contact',
        'poll',
        'reaction',
      ],
      ...['view_once', 'unsupported'],
    ]);
    expect(new Set(OUTBOUND_TYPES)).toEqual(new Set(Object.keys(WIRE)));
    expect(MESSAGE_BODY_FIELDS).toMatchObject({
      text: { required: ['text'], optional: [] },
      document: { required: [], optional: ['filename', 'mimeType', 'pageCount', 'caption'] },
      poll: { required: [], optional: ['name', 'options'] },
      view_once: { required: ['inner'], optional: [] },
    });
  });

  test('say of each field of a request what may go along with it', () => {
    const having = (rule: 'canReply' | 'canMention' | 'hasFile'): string[] =>
      CONTENT_FIELDS.filter((name) => SENDING_RULES[name][rule]);
    expect(having('canReply')).toEqual(['text', 'media', 'location', 'contact', 'poll']);
    expect(having('canMention')).toEqual(['text', 'edit']);
    expect(having('hasFile')).toEqual(['media']);
    expect(CONTENT_FIELDS.map((name) => SENDING_RULES[name].relation)).toEqual([
      ...[null, null, null, null, null, 'REACTION', 'EDIT', 'DELETE'],
    ]);
  });

  test('have a file where the rules for files know the kind', () => {
    const withFile = OUTBOUND_TYPES.filter((type) => CONTENT[type].sending.hasFile);
    expect(new Set<string>(withFile)).toEqual(new Set<string>(MEDIA_KINDS));
  });
});

describe('content on the wire', () => {
  test.each(kinds)('of %s is read with its own fields', (type, fields) => {
    expect(parseData(OutboundContent, { type, ...fields })).toEqual({ type, ...fields });
  });

  test.each(kinds)('of %s is refused without any one of them', (type, fields) => {
    for (const name of Object.keys(fields)) {
      const content = { type, ...fields, [name]: undefined };
      expect(() => parseData(OutboundContent, content)).toThrow(name);
    }
  });

  test('is not refused for what stands in a field of other kinds', () => {
    expect(() => parseData(OutboundContent, { type: 'text', text: 'Hi', poll: 7 })).not.toThrow();
  });
});

test('a body may hold another one, which is checked as well', () => {
  const inner = { type: 'image', caption: 'Look' };
  const body = parseData(MessageBody, { type: 'view_once', inner });
  expect(body.inner).toBeInstanceOf(MessageBody);
  expect(() => parseData(MessageBody, { type: 'view_once', inner: { type: 'image', caption: 7 } })).toThrow(
    'inner.caption must be a string',
  );
});

test('kinds that share a field describe it once', () => {
  const name = field<string>(IsString());
  expect(
    sharedFields([
      ['a', { name }],
      ['b', { name, other: field() }],
    ]),
  ).toMatchObject([
    { name: 'name', field: name, types: ['a', 'b'] },
    { name: 'other', types: ['b'] },
  ]);
  expect(() =>
    sharedFields([
      ['a', { name }],
      ['b', { name: field<string>(IsString()) }],
    ]),
  ).toThrow('describe name in two ways');
});
