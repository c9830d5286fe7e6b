import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EventLogPage, EventLogQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { EventLogService } from './event-log.service.js';

/** `/v1/events` */
@ApiTags('events')
@Controller('v1/events')
export class EventLogController {
  constructor(private readonly events: EventLogService) {}

  // The payloads have what was said. Whoever may only manage webhooks hears it by an endpoint, which the audit log shows, and not silently here.
  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'readEventLog',
    summary: 'Read your events in order of arrival',
    description:
      'Every event of your sessions, whether an endpoint was subscribed to it or not. Keep `nextCursor` of the last page you have processed: read from it until `more` is false, and you have missed nothing, because no event ever appears before one that you have read. The `qr` of `session.qr_generated` is shown to keys with `admin:*` alone.',
  })
  @ApiOkResponse({ type: EventLogPage, description: 'One page, oldest first.' })
  @ApiErrors('VALIDATION_FAILED', 'CURSOR_EXPIRED')
  read(@CurrentCaller() caller: Caller, @Query() query: EventLogQuery): Promise<EventLogPage> {
    return this.events.read(caller, query);
  }
}
