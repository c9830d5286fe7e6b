import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { KeyEnvironment, Scope } from '@svc/contracts';
import { GatewayConfig } from '../config.js';

/** Environment in which a key is valid, by its prefix: live, or the sandbox (specification, "API key"). */
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

/** Digest of a key, which is stored in its place. */
export interface StoredDigest {
  digest: Buffer;
  pepperVersion: number;
}

/** A key as its row says at this moment. */
export interface StoredKey extends StoredDigest {
  tenantId: string;
  env: KeyEnv;
  scopes: Scope[];
  live: boolean;
  /** It was used before. */
  isUsed: boolean;
  /** Time until the key expires by itself, in ms of its tenant's clock. */
  msLeft: number;
  /** Its tenant is. */
  suspended: boolean;
}

/**
 * This class hashes keys with the pepper of the environment. Another one is known beside it while the pepper is changed: the one before, or
 * the next one where a replica does not hash with it yet.
 */
@Injectable()
export class KeyDigest {
  private readonly peppers: string[];
  private readonly version: number;

  constructor({ keyPepper, keyPepperPrevious, keyPepperVersion }: GatewayConfig) {
    this.peppers = keyPepperPrevious === undefined ? [keyPepper] : [keyPepper, keyPepperPrevious];
    this.version = keyPepperVersion;
  }

  /** Makes the digest of a key, under the newest pepper. */
  make(body: string): StoredDigest {
    return { digest: hmac(this.peppers[0] as string, body), pepperVersion: this.version };
  }

  /** Compares a key with its digest. It costs the same whether the key exists or not, so that time does not tell which key ids exist. */
  matches(body: string, stored: StoredDigest | null): boolean {
    const digests = this.peppers.map((pepper) => hmac(pepper, body));
    const expected = stored?.digest ?? Buffer.alloc(32);
    const fits = digests.filter((digest) => timingSafeEqual(digest, expected)).length > 0;
    return fits && stored !== null;
  }

  /** Says whether a digest is one of an earlier pepper: with the key in hand, a newer one takes its place. */
  isOld({ pepperVersion }: StoredDigest): boolean {
    return pepperVersion < this.version;
  }

  /** Derives keys for another purpose, independent of the digests: one of each pepper, the newest first. */
  deriveKeys(purpose: string): Buffer[] {
    return this.peppers.map((pepper) => Buffer.from(hkdfSync('sha256', pepper, '', purpose, 32)));
  }
}

function hmac(pepper: string, body: string): Buffer {
  return createHmac('sha256', pepper).update(body).digest();
}
