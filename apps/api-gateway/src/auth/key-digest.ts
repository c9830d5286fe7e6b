import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';

/** What is stored of a key instead of the key. */
export interface StoredDigest {
  digest: Buffer;
  pepperVersion: number;
}

/** Hashes keys with the pepper of the environment; two versions of it are live at a time. */
@Injectable()
export class KeyDigest {
  constructor(private readonly config: GatewayConfig) {}

  /** Digest of a new key, under the newest pepper. */
  make(body: string): StoredDigest {
    const { keyPepper, keyPepperVersion } = this.config;
    return { digest: hmac(keyPepper, body), pepperVersion: keyPepperVersion };
  }

  /** Costs the same whether the key is known or not, so that time does not tell which key ids exist. */
  matches(body: string, stored: StoredDigest | null): boolean {
    const pepper = this.pepper(stored?.pepperVersion);
    const digest = hmac(pepper ?? this.config.keyPepper, body);
    const expected = stored?.digest ?? Buffer.alloc(digest.length);
    return timingSafeEqual(digest, expected) && stored !== null && pepper !== undefined;
  }

  /** A key for another purpose, independent of the digests. */
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
