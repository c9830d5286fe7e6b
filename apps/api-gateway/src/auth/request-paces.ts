import { Injectable } from '@nestjs/common';
import { KeyedPaces } from '@svc/service';
import { GatewayConfig } from '../config.js';

/** This class limits how many requests a second an API key may make. */
@Injectable()
export class RequestPaces extends KeyedPaces {
  constructor({ requestsPerSecond }: GatewayConfig) {
    super(requestsPerSecond, 'This API key makes too many requests a second.');
  }
}
