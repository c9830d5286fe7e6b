import { Injectable } from '@nestjs/common';
import { FairPlaces } from '@svc/service';

/** Connections for long reads, of the ten of the pool; the others are for what is sent and received. */
const PLACES = 6;

/** Shares the connections for lists and exports between tenants: how long such a statement takes depends on how much a tenant keeps. */
@Injectable()
export class LongReads extends FairPlaces {
  constructor() {
    super('long reads', PLACES);
  }
}
