import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { knowledgeOf, TABLE_OF_LIBRARY, UNHANDLED_NAMES } from './known-stanzas.js';
import { namesOf } from './stanza-names.js';
import { shapeOf } from './stanza-shape.js';

const node = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode['content'],
): BinaryNode => ({
  ...{ tag, attrs },
  ...(content === undefined ? {} : { content }),
});
const number = '4915550001000@s.whatsapp.net';

test.each<[string, BinaryNode, string[]]>([
  [
    'a notification by its type',
    node('notification', { type: 'business' }, [node('x')]),
    ['notification business'],
  ],
  [
    'one of the settings by its child, too',
    node('notification', { type: 'account_sync' }, [node('dob')]),
    ['notification account_sync dob'],
  ],
  [
    'one of GraphQL by its operation',
    node('notification', { type: 'mex' }, [node('update', { op_name: 'Surprise' })]),
    ['notification mex Surprise'],
  ],
  ['a question by its child', node('iq', { type: 'set' }, [node('pair-device')]), ['iq pair-device']],
  [
    'a question without a child by its space',
    node('iq', { type: 'get', xmlns: 'urn:xmpp:ping' }),
    ['iq urn:xmpp:ping'],
  ],
  ['an answer not at all', node('iq', { type: 'result', id: '1' }), []],
  [
    'a message by each kind of its parts, once',
    node('message', {}, [node('enc', { type: 'msg' }), node('enc', { type: 'msg' }), node('bot')]),
    ['message enc msg', 'message bot'],
  ],
  ['a receipt by its type', node('receipt', { type: 'read' }), ['receipt read']],
  ['a delivery, which has none', node('receipt'), ['receipt delivered']],
  [
    'the end of a stream by its child',
    node('stream:error', { code: '500' }, [node('ack')]),
    ['stream:error ack'],
  ],
  ['anything else by its tag', node('surprise', {}, [node('x')]), ['surprise']],
])('%s is named', (_what, stanza, names) => {
  expect(namesOf(stanza)).toEqual(names);
});

test.each([number, 'a b', 'ünknown', '', 'x'.repeat(61), 'code12345'])(
  'what is no plain name stands in none: %p',
  (word) => {
    expect(namesOf(node('notification', { type: word }))).toEqual(['notification nameless']);
  },
);

test('the shape of a stanza has its names and sizes, and nothing that it says', () => {
  const stanza = node('notification', { from: number, type: 'business', [number]: 'x' }, [
    node('name', { jid: number }, 'Ada'),
    node('bytes', {}, Buffer.alloc(7)),
    node(number),
  ]);
  expect(shapeOf(stanza)).toEqual({
    tag: 'notification',
    attrs: { from: number.length, type: 8, nameless: 1 },
    content: [
      { tag: 'name', attrs: { jid: number.length }, content: 3 },
      { tag: 'bytes', attrs: {}, content: 7 },
      { tag: 'nameless', attrs: {} },
    ],
  });
});

test('the shape of a deep stanza ends with how many there are', () => {
  const deep = node('a', {}, [node('b', {}, [node('c', {}, [node('d', {}, [node('e'), node('e')])])])]);
  expect(JSON.stringify(shapeOf(deep))).toContain('"tag":"d","attrs":{},"content":2');
});

test('what is handled is known from what is not, and that from what is new', () => {
  expect(knowledgeOf('notification w:gp2 add')).toBe('handled');
  expect(knowledgeOf('notification w:gp2 suspended')).toBe('known');
  expect(knowledgeOf('notification w:gp2 surprise')).toBe('new');
});

test('the table is of the version of the library that is installed', () => {
  const { resolve } = createRequire(import.meta.url);
  const path = resolve('@whiskeysockets/baileys').replace(/\/lib\/.*/, '/package.json');
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  expect(version).toBe(TABLE_OF_LIBRARY);
});

test('the page about the platform lists every name that is known and that nobody handles', () => {
  const page = readFileSync(new URL('../../../../../../docs/platform-protocol.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## 19. '));
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.+?) +\|/gm)];
  const listed = rows.flatMap(([, first, words = '']) =>
    [...words.matchAll(/`([^`]+)`/g)].map(([, word]) => `${first} ${word}`),
  );
  expect(listed.sort()).toEqual([...UNHANDLED_NAMES].sort());
});
