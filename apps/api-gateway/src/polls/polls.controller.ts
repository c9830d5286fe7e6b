import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PollResult } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { PollsService } from './polls.service.js';

/** `GET /v1/messages/:jobId/poll` */
@ApiTags('messages')
@Controller('v1/messages')
export class PollsController {
  constructor(private readonly polls: PollsService) {}

  @Get(':jobId/poll')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getPollResult',
    summary: 'Read the result of a poll',
    description:
      'The last vote of each voter, as it is now; `message.poll_vote` tells each vote, to endpoints that name it.',
  })
  @ApiId('jobId', 'Job id that the send of the poll returned, or the id of a poll that was received.')
  @ApiOkResponse({ type: PollResult, description: 'The result.' })
  @ApiErrors('MESSAGE_NOT_FOUND')
  result(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('jobId', 'MESSAGE_NOT_FOUND') jobId: string,
  ): Promise<PollResult> {
    return this.polls.result(tenantId, jobId);
  }
}
