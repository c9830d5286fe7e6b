import { expect, test } from '@jest/globals';
import { parseStartOptions } from './start-options.js';

test('keeps the state unless told to forget it', () => {
  expect(parseStartOptions([])).toEqual({ fresh: false, help: false });
  expect(parseStartOptions(['--fresh'])).toEqual({ fresh: true, help: false });
});

test('shows help for the long and the short word', () => {
  expect(parseStartOptions(['--help']).help).toBe(true);
  expect(parseStartOptions(['-h']).help).toBe(true);
});

test.each([
  [['--frsh'], "Unknown option '--frsh'. See npm start -- --help"],
  [['--fresh=yes'], "Option '--fresh' does not take an argument. See npm start -- --help"],
  [['stop'], "Unexpected argument 'stop'. See npm start -- --help"],
])('refuses %j in one sentence that names it', (argv, sentence) => {
  expect(() => parseStartOptions(argv)).toThrow(new Error(sentence));
});
