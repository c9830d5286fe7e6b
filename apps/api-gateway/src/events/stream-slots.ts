import { AppError, limitReached } from '@svc/contracts';
import type { Caller } from '../auth/authorization.js';

/** Most streams that may be open at the same time. */
export interface StreamBounds {
  perKey: number;
  perTenant: number;
  inAll: number;
}

const COME_BACK_SECONDS = 10;

/** This class counts the streams of this process: none of its readers takes the place of all others. */
export class StreamSlots {
  private readonly taken = new Map<string, number>();

  constructor(private readonly bounds: StreamBounds) {}

  /**
   * Takes a place; returns how to give it back, once.
   * @throws AppError `RATE_LIMITED` for this key or tenant, `UPSTREAM_UNAVAILABLE` where this process has no place left.
   */
  take({ kid, tenantId }: Caller): () => void {
    const { perKey, perTenant, inAll } = this.bounds;
    const places: [string, number, AppError][] = [
      ['all', inAll, new AppError('UPSTREAM_UNAVAILABLE', 'Too many event streams are open.')],
      [`key ${kid}`, perKey, refusal('This API key', perKey)],
      [`tenant ${tenantId}`, perTenant, refusal('This tenant', perTenant)],
    ];
    for (const [name, bound, error] of places) if (this.count(name) >= bound) throw error;
    for (const [name] of places) this.taken.set(name, this.count(name) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [name] of places) this.release(name);
      isTaken = false;
    };
  }

  private count(name: string): number {
    return this.taken.get(name) ?? 0;
  }

  private release(name: string): void {
    const left = this.count(name) - 1;
    if (left > 0) this.taken.set(name, left);
    else this.taken.delete(name);
  }
}

function refusal(whose: string, limit: number): AppError {
  const words = `${whose} has ${limit} event streams open already: close one, or read the events in pages.`;
  const meta = { limit, used: limit, retryAfterSeconds: COME_BACK_SECONDS };
  return limitReached('streams', words, meta);
}
