import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { FairPlaces } from './fair-places.js';

/** Connections for long reads, of the ten of the pool; the others are for what a service has to do at once. */
const PLACES = 6;
/** Longest wait for a place, in ms; whoever asked has given up by then, or nearly so. */
const PATIENCE_MS = 15_000;

/** Shares the connections for lists and exports between tenants: how long such a statement takes depends on how much a tenant keeps. */
@Injectable()
export class LongReads extends FairPlaces {
  constructor() {
    super('long reads', PLACES);
  }

  /**
   * Reads once there is a place.
   * @throws AppError `UPSTREAM_TIMEOUT` where the wait for a place was too long, else what the read throws.
   */
  override async run<T>(tenantId: string, read: () => Promise<T>): Promise<T> {
    const wait = new AbortController();
    const timer = setTimeout(() => wait.abort(new AppError('UPSTREAM_TIMEOUT')), PATIENCE_MS);
    const begin = (): Promise<T> => {
      clearTimeout(timer);
      return read();
    };
    return super.run(tenantId, begin, wait.signal);
  }
}
