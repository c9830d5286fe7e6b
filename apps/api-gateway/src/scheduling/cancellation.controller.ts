import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CanceledMessage } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { CancellationService } from './cancellation.service.js';

/** `/v1/messages/:jobId/cancel` */
@ApiTags('messages')
@Controller('v1/messages')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  // The route needs no subscription: a tenant that does not pay may still stop a message.
  @Post(':jobId/cancel')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'cancelMessage',
    summary: 'Cancel a message that has not gone out',
    description:
      'It fails with the code CANCELED, which message.failed tells, and its unit of the daily limits comes back. Canceling it again gives the same answer. 409 once it is on its way or has ended otherwise.',
  })
  @ApiId('jobId', 'Job id that the send returned.')
  @ApiOkResponse({ type: CanceledMessage, description: 'It does not go out.' })
  @ApiErrors('VALIDATION_FAILED', 'MESSAGE_NOT_FOUND', 'MESSAGE_STATE_CONFLICT')
  cancel(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('jobId', 'MESSAGE_NOT_FOUND') jobId: string,
  ): Promise<CanceledMessage> {
    return this.cancellation.cancel(tenantId, jobId);
  }
}
