import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@svc/contracts';
import { GatewayConfig } from '../config.js';
import type { KeyEnv } from './key-format.js';

/** What is stored of a key instead of the key. */
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
  /** Until it expires by itself, in ms of its tenant's clock. */
  msLeft: number;
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
