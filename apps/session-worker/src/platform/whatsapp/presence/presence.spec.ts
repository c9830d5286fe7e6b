import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { LibrarySocket } from '../messages/outgoing.js';
import { Presence } from './presence.js';

const SHOWN_MS = 10_000;
const MOST_SHOWN = 100;

/** A socket that is open, and what the platform was told over it. */
function openSocket() {
  const told: string[] = [];
  const ev = new EventEmitter();
  const sendPresenceUpdate = async (state: string, address?: string): Promise<void> =>
    void told.push(address ? `${state} to ${address}` : state);
  const sock = { ev, authState: { creds: {} }, sendPresenceUpdate };
  const presence = new Presence(sock as unknown as LibrarySocket);
  ev.emit('connection.update', { connection: 'open' });
  const states = (): string[] => told.filter((one) => !one.includes(' to '));
  return { presence, states };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a number that writes to ever more chats is online all the while, and remembers 100 of them', async () => {
  const { presence, states } = openSocket();
  for (let n = 1; n <= 1_000; n += 1) await presence.show('composing', `chat ${n}`);
  expect(presence['shownTo'].size).toBe(MOST_SHOWN);
  // The first was forgotten long ago: that it is over changes nothing.
  await presence.show('paused', 'chat 1');
  expect(states()).toEqual(['available']);
  await jest.advanceTimersByTimeAsync(SHOWN_MS);
  expect(states()).toEqual(['available', 'unavailable']);
  expect(presence['shownTo'].size).toBe(0);
  presence.stop();
});

test('a chat that is shown again is not the first to be forgotten', async () => {
  const { presence, states } = openSocket();
  for (let n = 1; n <= MOST_SHOWN; n += 1) await presence.show('composing', `chat ${n}`);
  await presence.show('recording', 'chat 1');
  await presence.show('composing', 'one more');
  for (let n = 2; n <= MOST_SHOWN; n += 1) await presence.show('paused', `chat ${n}`);
  await presence.show('paused', 'one more');
  expect(states()).toEqual(['available']);
  await presence.show('paused', 'chat 1');
  expect(states()).toEqual(['available', 'unavailable']);
  presence.stop();
});
