import { expect, test } from '@jest/globals';
import type { SignalDataSet, SignalKeyStore } from '@whiskeysockets/baileys';
import { timerChange, timerOf } from './chat-timers.js';

const CHAT = '4915550001@s.whatsapp.net';
const DAY = 86_400;

/** Takes in timers, one after the other; returns the one that holds then. */
async function after(...named: { seconds: number; setAt: number; sentAt: number }[]): Promise<unknown> {
  const stored: Record<string, Record<string, unknown>> = {};
  const keys = { get: async (type: string) => stored[type] ?? {} } as Pick<SignalKeyStore, 'get'>;
  for (const { sentAt, ...timer } of named)
    Object.assign(
      stored,
      (await timerChange(keys, { chat: CHAT, timer, sentAt })) satisfies SignalDataSet | undefined,
    );
  return timerOf(keys, CHAT);
}

test('the timer that was set last holds', async () => {
  const day = { seconds: DAY, setAt: 1_000, sentAt: 5_000 };
  const week = { seconds: 7 * DAY, setAt: 2_000, sentAt: 3_000 };
  expect(await after(day, week)).toEqual({ seconds: 7 * DAY, setAt: 2_000 });
  expect(await after(week, day)).toEqual({ seconds: 7 * DAY, setAt: 2_000 });
  expect(await after(week, { seconds: 0, setAt: 4_000, sentAt: 4_000 })).toMatchObject({ seconds: 0 });
});

test('a message that does not say when its timer was set says it of its own time', async () => {
  expect(await after({ seconds: DAY, setAt: 0, sentAt: 3_000 })).toEqual({ seconds: DAY, setAt: 3_000 });
});

test('a clock that is ahead does not keep later timers out', async () => {
  const ahead = { seconds: DAY, setAt: 9_999_999_999, sentAt: 3_000 };
  expect(await after(ahead, { seconds: 0, setAt: 4_000, sentAt: 4_000 })).toMatchObject({ seconds: 0 });
});

test('a message that names no timer changes none', async () => {
  const keys = { get: async () => ({}) } as Pick<SignalKeyStore, 'get'>;
  expect(await timerChange(keys, { chat: CHAT, timer: undefined, sentAt: 1 })).toBeUndefined();
});
