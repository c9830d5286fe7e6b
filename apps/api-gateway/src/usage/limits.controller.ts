import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GetWarmup, SessionLimits, TenantLimits, WarmupState } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { LimitsService } from '../limits/limits.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';

/** `/v1/limits`, `/v1/sessions/:id/limits` and `…/warmup`: every layer, used and left, and how a number gets more. */
@ApiTags('limits')
@Controller('v1')
export class LimitsController {
  constructor(
    private readonly limits: LimitsService,
    private readonly sessions: SessionsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly rpc: RpcClient,
  ) {}

  @Get('limits')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getLimits',
    summary: 'Read what is used and left of every limit',
    description: 'Daily limits begin anew at midnight UTC.',
  })
  @ApiOkResponse({ type: TenantLimits, description: 'The limits of the tenant and of each session.' })
  @ApiErrors()
  async ofTenant(@CurrentCaller() { tenantId }: Caller): Promise<TenantLimits> {
    return this.limits.ofTenant(await this.subscriptions.of(tenantId));
  }

  @Get('sessions/:id/limits')
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'getSessionLimits', summary: 'Read what one session may still send today' })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionLimits, description: 'Both layers that a send of this session passes.' })
  @ApiErrors(NOT_FOUND)
  async ofSession(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
  ): Promise<SessionLimits> {
    const ranked = await this.sessions.withRank(tenantId, id);
    return this.limits.ofSession(await this.subscriptions.of(tenantId), ranked);
  }

  @Get('sessions/:id/warmup')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getSessionWarmup',
    summary: 'Read the warmup tier of a session and what the next one asks for',
    description:
      'A number is judged once an hour. Its tier rises when all criteria are met, and never falls. By default half of the cap is to be used on half of the days, and 15 % of the contacts reply, proven with nine in ten confidence: a number that sends notices only stays where it is, until it is promoted by hand.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: WarmupState, description: 'Where the session stands.' })
  @ApiErrors(NOT_FOUND)
  async warmup(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
  ): Promise<WarmupState> {
    // `limits` does not know whose session it is.
    const { id: sessionId } = await this.sessions.owned(tenantId, id);
    return this.rpc.request(GetWarmup, { tenantId, sessionId });
  }
}
