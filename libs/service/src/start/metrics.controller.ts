import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { metricsText } from '../metrics.js';

/** Tells the figures of this process; only for services whose port the outside does not reach. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', 'text/plain; version=0.0.4')
  metrics(): string {
    return metricsText();
  }
}
