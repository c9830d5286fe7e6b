import { Controller, Get } from '@nestjs/common';
import { type UnhandledStanza, unhandledStanzas } from './unhandled-stanzas.js';

/** Tells support what the platform sends and nobody handles; on the port that the outside does not reach. */
@Controller('unhandled-stanzas')
export class UnhandledStanzasController {
  @Get()
  latest(): { items: UnhandledStanza[] } {
    return { items: unhandledStanzas.shapes() };
  }
}
