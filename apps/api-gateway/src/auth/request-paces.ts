import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { Pace } from '@svc/service';
import { GatewayConfig } from '../config.js';

const BURST_MS = 1_000;
/** Keys that are remembered; beyond it, those that rest are forgotten. */
const MOST_KEYS = 10_000;

/** How many requests a second a key may make: a client in a loop does not take the service from the others. */
@Injectable()
export class RequestPaces {
  private readonly paces = new Map<string, Pace>();

  constructor(private readonly config: GatewayConfig) {}

  /** @throws AppError `RATE_LIMITED`, layer `request`. */
  take(kid: string): void {
    const limit = this.config.requestsPerSecond;
    if (limit === 0) return;
    const now = performance.now();
    const pace = this.paceOf(kid, now, limit);
    const waitMs = pace.waitMs(now);
    if (waitMs === 0) return pace.take(now);
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const resetAt = new Date(Date.now() + waitMs).toISOString();
    throw new AppError('RATE_LIMITED', 'This API key makes too many requests a second.', {
      ...{ layer: 'request', limit, used: limit, resetAt, retryAfterSeconds },
    });
  }

  private paceOf(kid: string, now: number, limit: number): Pace {
    const known = this.paces.get(kid);
    if (known) return known;
    if (this.paces.size >= MOST_KEYS) {
      for (const [key, pace] of this.paces) if (pace.isIdle(now)) this.paces.delete(key);
    }
    const pace = new Pace(limit, BURST_MS);
    this.paces.set(kid, pace);
    return pace;
  }
}
