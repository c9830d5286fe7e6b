import { expect, test } from '@jest/globals';
import { Signal } from './signal.js';

test('a signal reaches all who listen, in the order in which they began to', () => {
  const signal = new Signal<number>();
  const heard: string[] = [];
  signal.emit(0);
  signal.listen((value) => heard.push(`first ${value}`));
  signal.listen((value) => heard.push(`second ${value}`));
  signal.emit(1);
  expect(heard).toEqual(['first 1', 'second 1']);
});
