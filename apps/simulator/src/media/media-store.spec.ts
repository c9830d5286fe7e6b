import { expect, test } from '@jest/globals';
import { MediaStore } from './media-store.js';

const file = (letter: string, bytes = 4): Buffer => Buffer.alloc(bytes, letter);

test('the oldest files give way when there are too many bytes', () => {
  const store = new MediaStore(10);
  const paths = ['a', 'b', 'c'].map((letter) => store.put(file(letter)));
  expect(paths.map((path) => store.get(path)?.toString())).toEqual([undefined, 'bbbb', 'cccc']);
});

test('a file that comes twice takes its room once, and that of a removed one is free', () => {
  const store = new MediaStore(10);
  const paths = ['a', 'a', 'b'].map((letter) => store.put(file(letter)));
  expect(store.get(paths[0] ?? '')).toEqual(file('a'));
  store.remove(paths[0] ?? '');
  store.put(file('c'));
  expect(store.get(paths[2] ?? '')).toEqual(file('b'));
});

test('an altered file is another one under the same path', () => {
  const store = new MediaStore();
  const path = store.put(file('a'));
  store.alter(path);
  expect(store.get(path)).toHaveLength(4);
  expect(store.get(path)).not.toEqual(file('a'));
});

test.each(['', '/v/short.enc', '/v/../secret.enc', `/v/${'0'.repeat(64)}.enc`])(
  'there is no file at %j',
  (path) => {
    expect(new MediaStore().get(path)).toBeUndefined();
  },
);
