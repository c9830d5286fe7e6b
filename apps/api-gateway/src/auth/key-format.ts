import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyEnvironment } from '@svc/contracts';

/** Where a key is valid, as its prefix says: live, or in the sandbox (specification, "API key"). */
export type KeyEnv = 'live' | 'test';

export const environmentOf = (env: KeyEnv): KeyEnvironment => (env === 'test' ? 'TEST' : 'LIVE');

/** An API key taken apart. `body` is everything after the prefix: what is validated and hashed. */
export interface ParsedKey {
  env: KeyEnv;
  kid: string;
  body: string;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY = /^rk_(live|test)_([A-Za-z0-9]{50})$/;

/** A kid as it stands in a path. */
export const KID = /^[A-Za-z0-9]{12}$/;

/** Makes a new key: prefix, key id, 190 random bits, checksum. */
export function generateKey(env: KeyEnv): ParsedKey & { key: string } {
  const payload = randomBase62(KID_LENGTH + SECRET_LENGTH);
  const body = payload + checksum(payload);
  return { env, kid: body.slice(0, KID_LENGTH), body, key: `rk_${env}_${body}` };
}

/** Takes a key apart; undefined when its form or its checksum is wrong, so that no lookup is needed. */
export function parseKey(key: string): ParsedKey | undefined {
  const [, env, body] = KEY.exec(key) ?? [];
  if (!env || !body) return undefined;
  const payload = body.slice(0, -CHECKSUM_LENGTH);
  if (checksum(payload) !== body.slice(-CHECKSUM_LENGTH)) return undefined;
  return { env: env as KeyEnv, kid: body.slice(0, KID_LENGTH), body };
}

function checksum(payload: string): string {
  let rest = crc32(payload);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = DIGITS.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: taking the rest would favour the first digits.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += DIGITS.charAt(byte % 62);
    }
  }
  return text;
}
