import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiKeyView,
  CheckApiKeysBody,
  CheckedApiKeys,
  CreateApiKeyBody,
  invalidField,
  NewApiKey,
  type Page,
  PageQuery,
  type Scope,
} from '@svc/contracts';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { ApiErrors, ApiPage } from '../openapi/answers.js';
import { ApiKeysService } from './api-keys.service.js';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';

/** `/v1/api-keys` */
@ApiTags('api keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Create a key, replacing the calling one',
    description:
      'The key that is replaced works for another 24 hours and does not count: a key can be replaced where there are as many as there may be, within 24 hours at most that many. `rotates` names another key, or null: none is replaced. Of two calls that replace one key at the same moment, one gets 409. With `environment: TEST` a live key makes one for the sandbox, which replaces none.',
  })
  @ApiCreatedResponse({ type: NewApiKey, description: 'Created; the only answer with the secret.' })
  @ApiErrors('VALIDATION_FAILED', 'API_KEY_NOT_FOUND', 'API_KEY_CONFLICT', 'LIVE_ONLY', 'QUOTA_CONFLICT')
  create(@CurrentCaller() caller: Caller, @Body() body: CreateApiKeyBody): Promise<NewApiKey> {
    return this.keys.create(caller, withScopes(body));
  }

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({ operationId: 'listApiKeys', summary: 'List keys, newest first' })
  @ApiPage(ApiKeyView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<ApiKeyView>> {
    return this.keys.list(caller, query);
  }

  @Post('check')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'checkApiKeys',
    summary: 'Say which of the strings that were found somewhere are keys of this service',
    description:
      'For scanners of repositories and logs. Form and checksum alone decide; whether a key exists, works or whose it is, is not told. Revoke a key of yours that leaked: the 12 characters after the prefix are its key id.',
  })
  @ApiOkResponse({ type: CheckedApiKeys, description: 'What each candidate is.' })
  @ApiErrors('VALIDATION_FAILED')
  check(@Body() { candidates }: CheckApiKeysBody): CheckedApiKeys {
    return this.keys.check(candidates);
  }

  @Delete(':kid')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({ operationId: 'revokeApiKey', summary: 'Revoke a key at once' })
  @ApiParam({ name: 'kid', description: 'Key id.', example: '7Hq2mZ0aPx4K' })
  @ApiNoContentResponse({ description: 'Revoked.' })
  @ApiErrors('VALIDATION_FAILED', 'API_KEY_NOT_FOUND')
  revoke(@CurrentCaller() caller: Caller, @Param('kid') kid: string): Promise<void> {
    return this.keys.revoke(caller, kid);
  }
}

/** Reads the scopes of a body that names them as an answer does. */
function withScopes({ scope, ...body }: CreateApiKeyBody): CreateApiKeyBody {
  if (!scope) return body;
  if (body.scopes) throw invalidField('scope', 'scope must not be given together with scopes');
  return { ...body, scopes: [...new Set(scope.split(' ') as Scope[])] };
}
