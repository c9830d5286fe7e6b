import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { Pace } from '@svc/service';
import { GatewayConfig } from '../config.js';

const BURST_MS = 1_000;
/** Keys that are remembered; beyond it, those that are idle are forgotten. */
const MOST_KEYS = 10_000;

/** This class limits how many requests a second each of many may make: who is in a loop does not take the service from the others. */
export class KeyedPaces {
  private readonly paces = new Map<string, Pace>();

  /** @param limit a second, a second of them at once; 0: any number. */
  constructor(
    private readonly limit: number,
    private readonly words: string,
  ) {}

  /** @throws AppError `RATE_LIMITED`, layer `request`. */
  take(key: string): void {
    const { limit } = this;
    if (limit === 0) return;
    const now = performance.now();
    const pace = this.paceOf(key, now);
    const waitMs = pace.waitMs(now);
    if (waitMs === 0) return pace.take(now);
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const resetAt = new Date(Date.now() + waitMs).toISOString();
    throw new AppError('RATE_LIMITED', this.words, {
      ...{ layer: 'request', limit, used: limit, resetAt, retryAfterSeconds },
    });
  }

  private paceOf(key: string, now: number): Pace {
    const remembered = this.paces.get(key);
    if (remembered) return remembered;
    if (this.paces.size >= MOST_KEYS) this.forgetIdle(now);
    const pace = new Pace(this.limit, BURST_MS);
    this.paces.set(key, pace);
    return pace;
  }

  /** An idle pace says the same as a new one. */
  private forgetIdle(now: number): void {
    for (const [key, pace] of this.paces) if (pace.isIdle(now)) this.paces.delete(key);
  }
}

/** This class limits how many requests a second an API key may make. */
@Injectable()
export class RequestPaces extends KeyedPaces {
  constructor({ requestsPerSecond }: GatewayConfig) {
    super(requestsPerSecond, 'This API key makes too many requests a second.');
  }
}
