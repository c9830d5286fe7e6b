import { Body, Controller, Delete, Get, HttpCode, Put, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  DeleteProvider,
  GetProvider,
  type ProviderReply,
  PutProviderBody,
  SetProvider,
  TenantAssistant,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { ApiErrors } from '../openapi/answers.js';

/** `/v1/assistant`, asked of its owner `assistant`, which writes into the audit log who has changed it. */
@ApiTags('assistant')
@Controller('v1/assistant')
export class AssistantController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'getAssistant',
    summary: 'Read which language models answer for you',
    description: 'The key of the provider is never shown: its last four characters at most.',
  })
  @ApiOkResponse({ type: TenantAssistant, description: 'The provider.' })
  @ApiErrors()
  async get(@CurrentCaller() { tenantId }: Caller): Promise<TenantAssistant> {
    return viewOf(await this.rpc.request(GetProvider, { tenantId }));
  }

  @Put()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'putAssistant',
    summary: 'Say which language models answer for you',
    description:
      'Any API that is compatible with that of OpenAI, or a brain of your own behind HTTP, Dify or Flowise. It hears what contacts write to sessions whose assistant is on. A key that is left out stays, unless `baseUrl` is another one: then it is given again, or null.',
  })
  @ApiOkResponse({ type: TenantAssistant, description: 'The provider from now on.' })
  @ApiErrors('VALIDATION_FAILED')
  async put(@CurrentCaller() caller: Caller, @Body() body: PutProviderBody): Promise<TenantAssistant> {
    const { tenantId } = caller;
    return viewOf(await this.rpc.request(SetProvider, { ...body, tenantId, actor: actorOf(caller) }));
  }

  @Delete()
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteAssistant',
    summary: 'Forget your provider of language models, and its key',
    description: 'Where the operator has no provider, nobody is answered from then on.',
  })
  @ApiNoContentResponse({ description: 'Forgotten; also where there was none.' })
  @ApiErrors()
  async delete(@CurrentCaller() caller: Caller): Promise<void> {
    await this.rpc.request(DeleteProvider, { tenantId: caller.tenantId, actor: actorOf(caller) });
  }
}

const viewOf = ({ provider }: ProviderReply): TenantAssistant => ({ provider: provider ?? null });
