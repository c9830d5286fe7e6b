import { Body, Controller, Delete, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConfirmPasskeyBody, PasskeyAssertion, PasskeyView } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { PasskeyService } from './passkey.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';
const NOT_OPEN = [NOT_FOUND, 'PASSKEY_NOT_FOUND', 'PASSKEY_ENDED', 'PLATFORM_UNAVAILABLE'] as const;
const NOW = 'The link as it is now.';

/** `/v1/sessions/:id/passkey`: the steps of a link for which the platform wants the passkey of the account. */
@ApiTags('sessions')
@Controller('v1/sessions/:id/passkey')
export class PasskeyController {
  constructor(private readonly passkeys: PasskeyService) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'getPasskey',
    summary: 'Read the challenge that the platform wants a passkey for, and what to do next',
    description:
      'Some accounts are asked for their passkey after the scan or the typed code: the session is `PASSKEY_REQUIRED` then, and `session.passkey_required` was told. A challenge is for one link: after a failure, link again.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: PasskeyView, description: NOW })
  @ApiErrors(...NOT_OPEN)
  get(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<PasskeyView> {
    return this.passkeys.get(tenantId, id);
  }

  @Post('response')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'answerPasskey',
    summary: 'Hand in the answer of the browser to the challenge',
    description:
      'The JSON form of the credential that `navigator.credentials.get` gives. It is checked before it goes to the platform, and kept nowhere. Where the platform refuses it the link has ended.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: PasskeyView, description: NOW })
  @ApiErrors('VALIDATION_FAILED', ...NOT_OPEN, 'PASSKEY_CONFLICT')
  answer(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: PasskeyAssertion,
  ): Promise<PasskeyView> {
    return this.passkeys.answer(tenantId, id, body);
  }

  @Post('confirm')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'confirmPasskey',
    summary: 'Confirm that the phone shows the same code',
    description: 'For a person who has compared both. Where the codes differ, give the link up instead.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: PasskeyView, description: NOW })
  @ApiErrors('VALIDATION_FAILED', ...NOT_OPEN, 'PASSKEY_CONFLICT')
  confirm(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() { code }: ConfirmPasskeyBody,
  ): Promise<PasskeyView> {
    return this.passkeys.confirm(tenantId, id, code);
  }

  @Delete()
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({ operationId: 'giveUpPasskey', summary: 'Give the link up; another QR code follows' })
  @ApiId('id', 'Session id.')
  @ApiNoContentResponse({ description: 'The challenge counts no more.' })
  @ApiErrors('VALIDATION_FAILED', ...NOT_OPEN)
  giveUp(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<void> {
    return this.passkeys.giveUp(tenantId, id);
  }
}
