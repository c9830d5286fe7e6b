import { expect, test } from '@jest/globals';
import { LoginGate } from './login-gate.js';

/** A gate with two places, five sessions that want to log in, and who began in which order. */
function storm() {
  const gate = new LoginGate(2);
  const begun: string[] = [];
  const turns = ['a', 'b', 'c', 'd', 'e'].map((name) => gate.enter(() => void begun.push(name)));
  return { begun, turns, gate };
}

test('lets in as many as there are places, and one more for each that has logged in', () => {
  const { begun, turns } = storm();
  expect(begun).toEqual(['a', 'b']);
  turns[1]?.leave();
  expect(begun).toEqual(['a', 'b', 'c']);
  turns[0]?.leave();
  turns[2]?.leave();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('does not call who has given up waiting, and leaving twice makes no second place', () => {
  const { begun, turns } = storm();
  turns[2]?.leave();
  turns[0]?.leave();
  turns[0]?.leave();
  expect(begun).toEqual(['a', 'b', 'd']);
});

test('has room again when all have left', () => {
  const { begun, turns, gate } = storm();
  for (const turn of turns) turn.leave();
  gate.enter(() => void begun.push('late'));
  expect(begun.at(-1)).toBe('late');
});

test('a login that ends at once, while it is let in, makes room for the next', () => {
  const gate = new LoginGate(1);
  const begun: string[] = [];
  const first = gate.enter(() => void begun.push('first'));
  const second = gate.enter(() => {
    begun.push('second');
    second.leave();
  });
  gate.enter(() => void begun.push('third'));
  first.leave();
  expect(begun).toEqual(['first', 'second', 'third']);
});
