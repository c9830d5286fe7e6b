import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type AuthenticationCreds, initAuthCreds } from '@whiskeysockets/baileys';
import { QrCodes } from './qr-codes.js';

let creds: AuthenticationCreds;
let seen: string[];
let codes: QrCodes;

beforeEach(() => {
  jest.useFakeTimers();
  creds = initAuthCreds();
  seen = [];
  codes = new QrCodes(creds, {
    show: (text, expiresAt, isRedrawn) => {
      const [ref, , , secret] = text.slice(text.indexOf('#') + 1).split(',');
      const how = isRedrawn ? ' redrawn' : '';
      expect(secret).toBe(creds.advSecretKey);
      seen.push(`${ref} for ${Math.round((expiresAt.getTime() - Date.now()) / 1_000)} s${how}`);
    },
    keepSecret: (secret) => {
      expect(secret).not.toBe(creds.advSecretKey);
      expect(Buffer.from(secret, 'base64')).toHaveLength(32);
      creds.advSecretKey = secret;
    },
    spent: () => void seen.push('spent'),
  });
});
afterEach(() => {
  codes.stop();
  jest.useRealTimers();
});

test('all codes are shown one after the other, each for half a minute, and the end is told', () => {
  codes.begin(['a', 'b']);
  jest.advanceTimersByTime(30_000);
  expect(seen).toEqual(['a for 30 s', 'b for 30 s']);
  jest.advanceTimersByTime(30_000);
  expect(seen.at(-1)).toBe('spent');
});

test('a code that is drawn anew keeps its reference and has its full time again', () => {
  codes.begin(['a', 'b']);
  jest.advanceTimersByTime(29_000);
  codes.redraw();
  jest.advanceTimersByTime(29_000);
  expect(seen).toEqual(['a for 30 s', 'a for 30 s redrawn']);
  jest.advanceTimersByTime(1_000);
  expect(seen.at(-1)).toBe('b for 30 s');
});

test('a code is drawn anew at most once a second, and the last order counts', () => {
  codes.begin(['a']);
  for (let order = 0; order < 10; order += 1) codes.redraw();
  expect(seen).toHaveLength(2);
  jest.advanceTimersByTime(999);
  expect(seen).toHaveLength(2);
  jest.advanceTimersByTime(1);
  expect(seen).toEqual(['a for 30 s', 'a for 30 s redrawn', 'a for 30 s redrawn']);
});

test('nothing is shown before there is something to show, nor after the end', () => {
  codes.redraw();
  codes.begin(['a', 'b']);
  codes.redraw();
  codes.redraw();
  codes.stop();
  codes.redraw();
  jest.advanceTimersByTime(100_000);
  expect(seen).toEqual(['a for 30 s', 'a for 30 s redrawn']);
});
