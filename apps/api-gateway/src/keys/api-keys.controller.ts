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
import { withoutNulls } from '../edge/without-nulls.js';
import { ApiErrors, ApiPage } from '../openapi/answers.js';
import { ApiKeysService } from './api-keys.service.js';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';

const CREATE = `Without a body the calling key is replaced: by one with its name, its scopes and its end. Where the body of a key with \`admin:*\` asks for fewer scopes or a sooner end, a key beside the others is made, and none is replaced; any other key replaces itself then, too. \`rotates\` says it outright: a key id, or null.

The key that is replaced works for another 24 hours, or until its own end where that is sooner. A key and those that it has replaced count as one: it can be replaced where there are as many as there may be, as often as you like. Of those that it has replaced ten work at most; where there are more, the oldest of them ends early. Every key may replace itself, by one with the same or fewer scopes that ends no later; all else needs \`admin:*\`, which may give any scopes and any end.

Of two calls that replace one key at the same moment, one gets 409 \`API_KEY_CONFLICT\`. Where the answer was lost, repeat the call after two seconds: while nobody has used the new key, it ends, and another one replaces the old one; afterwards the answer is 409 \`API_KEY_REPLACED\`. The last live key with \`admin:*\` or \`*\` and no end is not replaced by one with less (409 \`LAST_ADMIN_KEY\`).

With \`environment: TEST\` a live key makes one for the sandbox, which replaces none.`;

/** `/v1/api-keys` */
@ApiTags('api keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @NeedsScope('any')
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Rotate the calling key, or create another one',
    description: CREATE,
  })
  @ApiCreatedResponse({ type: NewApiKey, description: 'Created; the only answer with the secret.' })
  @ApiErrors(
    ...(['VALIDATION_FAILED', 'API_KEY_NOT_FOUND', 'LIVE_ONLY', 'QUOTA_CONFLICT'] as const),
    ...(['API_KEY_CONFLICT', 'API_KEY_REPLACED', 'LAST_ADMIN_KEY'] as const),
  )
  create(@CurrentCaller() caller: Caller, @Body() body: CreateApiKeyBody): Promise<NewApiKey> {
    return this.keys.create(caller, readBody(body));
  }

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: 'List keys, newest first',
    description:
      'Those that work, and those whose time has ended in the last 30 days. Revoked ones are not listed; the audit log names them.',
  })
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
  @ApiOperation({
    operationId: 'revokeApiKey',
    summary: 'Revoke a key at once',
    description:
      'The last live key with `admin:*` or `*` and no end is not revoked (409 `LAST_ADMIN_KEY`): nobody could make another one. Where it has leaked, replace it, and revoke it with the new one.',
  })
  @ApiParam({ name: 'kid', description: 'Key id.', example: '7Hq2mZ0aPx4K' })
  @ApiNoContentResponse({ description: 'Revoked.' })
  @ApiErrors('VALIDATION_FAILED', 'API_KEY_NOT_FOUND', 'LAST_ADMIN_KEY')
  revoke(@CurrentCaller() caller: Caller, @Param('kid') kid: string): Promise<void> {
    return this.keys.revoke(caller, kid);
  }
}

/** Reads a body: null is what is left out, but for `rotates` and `expiresInDays`, of which it says something. */
function readBody({ rotates, expiresInDays, ...fields }: CreateApiKeyBody): CreateApiKeyBody {
  const wishes = {
    ...(rotates === undefined ? {} : { rotates }),
    ...(expiresInDays === undefined ? {} : { expiresInDays }),
  };
  return withScopes({ ...withoutNulls(fields), ...wishes });
}

/** Reads the scopes of a body that names them as an answer does, which has both names. */
function withScopes({ scope, ...body }: CreateApiKeyBody): CreateApiKeyBody {
  if (!scope) return body;
  const scopes = [...new Set(scope.split(' ') as Scope[])];
  const { scopes: listed = scopes } = body;
  if (listed.length !== scopes.length || !listed.every((one) => scopes.includes(one)))
    throw invalidField('scope', 'scope must name the same as scopes');
  return { ...body, scopes };
}
