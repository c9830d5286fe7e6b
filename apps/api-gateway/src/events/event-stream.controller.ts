import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { EventStreamQuery, LoggedEvent } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { EventStreams } from './event-streams.service.js';

const EXAMPLE = `retry: 2000
: open
id: 3q2-7wAAAAAAAAAAMTcwMA

id: 3q2-7wAAAAAAAAAAMTcwMQ
event: session.connected
data: {"id":"0198c0de-0000-7000-8000-000000000001","event":"session.connected","createdAt":"2026-01-31T12:00:00.000Z","payload":{"sessionId":"0198c0de-0000-7000-8000-000000000002","phone":"+4915112345678","timestamp":"2026-01-31T12:00:00.000Z"}}

`;

/** `/v1/events/stream` */
@ApiTags('events')
@Controller('v1/events')
export class EventStreamController {
  constructor(private readonly streams: EventStreams) {}

  @Get('stream')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'streamEvents',
    summary: 'Follow your events as they happen',
    description: `Server-sent events: the log of \`GET /v1/events\`, told as it grows, and the same is left out of it. Each event has its name in \`event\`, an item of the log as JSON in \`data\`, and in \`id\` the cursor to go on from: reconnect with the last \`id\` you have processed in \`Last-Event-ID\`, or as \`after\`, and you have missed nothing. An \`id\` without data only moves that place. A comment comes every 15 seconds where there is nothing else. The stream ends when the key is revoked or expires, when the tenant is suspended, when the reader takes nothing for 30 seconds, or when this server stops; then \`stream.closing\` says so where it can. Come back after \`retry\` milliseconds.\n\n\`\`\`\n${EXAMPLE}\`\`\``,
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last event that was processed; goes before `after`.',
    schema: { type: 'string', maxLength: 512 },
  })
  @ApiOkResponse({
    description: 'An answer that does not end by itself: `data` of each event is a `LoggedEvent`.',
    // Generators of clients take the schema of a stream for that of its `data`.
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(LoggedEvent) } } },
    headers: {
      'Cache-Control': { description: 'no-store', schema: { type: 'string' } },
      'X-Accel-Buffering': { description: 'no', schema: { type: 'string' } },
    },
  })
  @ApiErrors('VALIDATION_FAILED', 'CURSOR_EXPIRED')
  follow(
    @CurrentCaller() caller: Caller,
    @Query() query: EventStreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.follow(caller, query, lastEventId, reply);
  }
}
