import { expect, test } from '@jest/globals';
import { readStanza } from './stanza-json.js';

test('text, bytes and stanzas inside are read', () => {
  const json = {
    tag: 'a',
    attrs: { id: '1' },
    content: [{ tag: 'b', content: 'words' }, { tag: 'c', content: { base64: 'AQI=' } }, { tag: 'd' }],
  };
  expect(readStanza(json)).toEqual({
    tag: 'a',
    attrs: { id: '1' },
    content: [
      { tag: 'b', attrs: {}, content: 'words' },
      { tag: 'c', attrs: {}, content: Buffer.from([1, 2]) },
      { tag: 'd', attrs: {} },
    ],
  });
});

test.each<[unknown, string]>([
  [null, 'stanza'],
  [[], 'stanza'],
  [{ tag: '' }, 'stanza'],
  [{ tag: 'a', attrs: { n: 1 } }, 'stanza'],
  [{ tag: 'a', content: 7 }, 'stanza'],
  [{ tag: 'a', content: [{ tag: 'b' }, { tag: 3 }] }, 'stanza.content.1'],
])('%j is refused, naming %s', (json, path) => {
  expect(() => readStanza(json)).toThrow(path);
  try {
    readStanza(json);
  } catch (error) {
    expect(error).toMatchObject({ status: 400, meta: { fields: { [path]: [expect.any(String)] } } });
  }
});
