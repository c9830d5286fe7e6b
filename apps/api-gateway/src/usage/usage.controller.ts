import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MonthUsage, UsageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { UsageService } from './usage.service.js';

/** `/v1/usage` */
@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Read what was used in a month, by day and by session, and what it costs',
    description:
      'Messages are those counted against the daily limits. Calls and tokens of language models are those of MANAGED sessions.',
  })
  @ApiOkResponse({ type: MonthUsage, description: 'The month.' })
  @ApiErrors('VALIDATION_FAILED')
  get(@CurrentCaller() { tenantId }: Caller, @Query() { month }: UsageQuery): Promise<MonthUsage> {
    return this.usage.of(tenantId, month);
  }
}
