import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiExtension, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ExternalConfig, PutExternalConfigBody } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { ExternalConfigService } from './external-config.service.js';

/** Fields for which each call makes a new value: a repeat with one of them is not the same call. Clients read it from the description. */
const MAKES_ANEW: (keyof PutExternalConfigBody)[] = ['mintApiKey', 'rotateSecret'];

/** `/v1/sessions/:id/external-config` */
@ApiTags('sessions')
@Controller('v1/sessions/:id/external-config')
export class ExternalConfigController {
  constructor(private readonly config: ExternalConfigService) {}

  @Get()
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'getExternalConfig',
    summary: 'Read who answers a session',
    description:
      'Shows the secret of the bound endpoint, which hears what is said in the session. Each reading writes a line into the audit log: do not poll it; `GET /v1/webhooks/:id` shows the endpoint without its secret, and writes none. This scope is as strong as messages:read.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: ExternalConfig, description: 'The configuration.' })
  @ApiErrors('SESSION_NOT_FOUND')
  get(
    @CurrentCaller() caller: Caller,
    @IdParam('id', 'SESSION_NOT_FOUND') id: string,
  ): Promise<ExternalConfig> {
    return this.config.get(caller, id);
  }

  @Put()
  @NeedsScope('webhooks:manage')
  @ApiOperation({
    operationId: 'putExternalConfig',
    summary: 'Hand a session to your own bot, or take it back',
    description:
      'The bound endpoint hears what is said in the session: this scope is as strong as messages:read. `webhookUrl` is an https address. While the session has no endpoint, before external mode is enabled the first time or after a deletion, `enabled: false` with it, `events`, `hears` or `rotateSecret` is refused. Another address lifts a pause of the endpoint; ending and enabling external mode does not: `endpointStatus` says whether anything is delivered. mintApiKey needs the scope admin:*; `scopes` narrows the new key, which may do everything otherwise. With mintApiKey or rotateSecret each call makes a new one: do not repeat such a call unseen. The answer shows the secret, which writes a line into the audit log.',
  })
  @ApiExtension('x-not-repeatable-with', MAKES_ANEW)
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: ExternalConfig, description: 'The configuration from now on.' })
  @ApiErrors('VALIDATION_FAILED', 'SESSION_NOT_FOUND', 'QUOTA_CONFLICT')
  put(
    @CurrentCaller() caller: Caller,
    @IdParam('id', 'SESSION_NOT_FOUND') id: string,
    @Body() body: PutExternalConfigBody,
  ): Promise<ExternalConfig> {
    return this.config.put(caller, id, body);
  }
}
