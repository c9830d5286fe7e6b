import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { KeyedPaces } from './keyed-paces.js';

/** How many requests a second an API key may make. */
@Injectable()
export class RequestPaces extends KeyedPaces {
  constructor({ requestsPerSecond }: GatewayConfig) {
    super(requestsPerSecond, 'This API key makes too many requests a second.');
  }
}
