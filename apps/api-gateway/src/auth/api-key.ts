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

/** This class hashes keys with the pepper of the environment; two versions of it are live at a time. */
@Injectable()
export class KeyDigest {
  constructor(private readonly config: GatewayConfig) {}

  /** Makes the digest of a new key, under the newest pepper. */
  make(body: string): StoredDigest {
    const { keyPepper, keyPepperVersion } = this.config;
    return { digest: hmac(keyPepper, body), pepperVersion: keyPepperVersion };
  }

  /** Compares a key with its digest. It costs the same whether the key exists or not, so that time does not tell which key ids exist. */
  matches(body: string, stored: StoredDigest | null): boolean {
    const pepper = this.pepper(stored?.pepperVersion);
    const digest = hmac(pepper ?? this.config.keyPepper, body);
    const expected = stored?.digest ?? Buffer.alloc(digest.length);
    return timingSafeEqual(digest, expected) && stored !== null && pepper !== undefined;
  }

  /** Derives a key for another purpose, independent of the digests. */
  deriveKey(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.config.keyPepper, '', purpose, 32));
  }

  private pepper(version: number | undefined): string | undefined {
    const { keyPepper, keyPepperVersion, keyPepperPrevious } = this.config;
    if (version === keyPepperVersion) return keyPepper;
    return version === keyPepperVersion - 1 ? keyPepperPrevious : undefined;
  }
}

function hmac(pepper: string, body: string): Buffer {
  return createHmac('sha256', pepper).update(body).digest();
}
