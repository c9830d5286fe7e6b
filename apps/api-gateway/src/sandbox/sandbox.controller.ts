import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type Page, PageQuery, SessionView } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { OnlyIn } from '../auth/environment.guard.js';
import {
  AdvanceClockBody,
  ContactMessage,
  MagicNumber,
  ReadByContact,
  SandboxClock,
  WriteAsContactBody,
  WrittenAsContact,
} from './sandbox-bodies.js';
import { SandboxService } from './sandbox.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';
const CONTACT = {
  name: 'phone',
  description: 'Phone number of the contact, with its country code.',
  example: '+4915112345678',
};

/** `/v1/sandbox`: what phone and contacts do, for keys of a sandbox. */
@ApiTags('sandbox')
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: SandboxService) {}

  @Post('sessions/:id/scan')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @OnlyIn('TEST')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'scanSandboxSession',
    summary: 'Scan the QR code of a session with a phone of the sandbox',
    description:
      'The phone is the session’s own, and the same each time. The call waits until there is a code to scan, and then until the session is connected.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session, linked.' })
  @ApiErrors(NOT_FOUND, 'QR_CONFLICT', 'SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE', 'VALIDATION_FAILED')
  scan(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<SessionView> {
    return this.sandbox.scan(tenantId, id);
  }

  @Post('sessions/:id/unlink')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @OnlyIn('TEST')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'unlinkSandboxSession',
    summary: 'Remove the session from the linked devices of its phone',
    description: 'As its owner would: `session.logged_out` follows.',
  })
  @ApiId('id', 'Session id.')
  @ApiNoContentResponse({ description: 'Done.' })
  @ApiErrors(NOT_FOUND, 'SESSION_STATE_CONFLICT', 'SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE', 'VALIDATION_FAILED')
  unlink(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<void> {
    return this.sandbox.unlink(tenantId, id);
  }

  @Post('sessions/:id/messages')
  @NeedsScope('messages:send')
  @OnlyIn('TEST')
  @ApiOperation({
    operationId: 'writeAsContact',
    summary: 'Write to a session as a contact',
    description:
      '`message.received` follows, as for a message of a person. Possible as often a day as the plan has messages.',
  })
  @ApiId('id', 'Session id.')
  @ApiCreatedResponse({ type: WrittenAsContact, description: 'On its way.' })
  @ApiErrors(NOT_FOUND, 'SESSION_STATE_CONFLICT', 'SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE', 'VALIDATION_FAILED')
  write(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: WriteAsContactBody,
  ): Promise<WrittenAsContact> {
    return this.sandbox.write(tenantId, id, body);
  }

  @Get('sessions/:id/contacts/:phone/messages')
  @NeedsScope('messages:read')
  @OnlyIn('TEST')
  @ApiOperation({
    operationId: 'listContactInbox',
    summary: 'Read what has arrived on a contact’s phone from a session',
  })
  @ApiId('id', 'Session id.')
  @ApiParam(CONTACT)
  @ApiPage(ContactMessage)
  @ApiErrors(NOT_FOUND, 'SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE', 'VALIDATION_FAILED')
  received(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Param('phone') phone: string,
    @Query() query: PageQuery,
  ): Promise<Page<ContactMessage>> {
    return this.sandbox.received(tenantId, id, phone, query);
  }

  @Post('sessions/:id/contacts/:phone/read')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @OnlyIn('TEST')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'readAsContact',
    summary: 'Open the chat with a session on a contact’s phone',
    description: 'All that is unread there is read: `message.read` follows for each.',
  })
  @ApiId('id', 'Session id.')
  @ApiParam(CONTACT)
  @ApiOkResponse({ type: ReadByContact, description: 'Done.' })
  @ApiErrors(NOT_FOUND, 'SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE', 'VALIDATION_FAILED')
  read(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Param('phone') phone: string,
  ): Promise<ReadByContact> {
    return this.sandbox.read(tenantId, id, phone);
  }

  @Get('magic-numbers')
  @NeedsScope('messages:read')
  @OnlyIn('TEST')
  @ApiOperation({
    operationId: 'listMagicNumbers',
    summary: 'List the recipients with whom a send always ends in the same way',
  })
  @ApiPage(MagicNumber, 'as in the documentation')
  @ApiErrors('SANDBOX_ONLY', 'SANDBOX_UNAVAILABLE')
  async magicNumbers(): Promise<Page<MagicNumber>> {
    return { items: await this.sandbox.magicNumbers(), nextCursor: null };
  }

  @Get('clock')
  @NeedsScope('messages:read')
  @OnlyIn('TEST')
  @ApiOperation({ operationId: 'getSandboxClock', summary: 'Read the clock of the sandbox' })
  @ApiOkResponse({ type: SandboxClock, description: 'The clock.' })
  @ApiErrors('SANDBOX_ONLY')
  clock(@CurrentCaller() { tenantId }: Caller): Promise<SandboxClock> {
    return this.sandbox.clock(tenantId);
  }

  @Post('clock')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @OnlyIn('TEST')
  @ApiOperation({
    operationId: 'advanceSandboxClock',
    summary: 'Move the clock of the sandbox forward',
    description:
      'Days of limits, retries of webhooks, expiry of keys and scheduled sends follow it within a second or two, warmup within ten; connections, signatures and the times of messages do not.',
  })
  @ApiOkResponse({ type: SandboxClock, description: 'The clock.' })
  @ApiErrors('SANDBOX_ONLY', 'VALIDATION_FAILED')
  advance(
    @CurrentCaller() { tenantId }: Caller,
    @Body() { advanceSeconds }: AdvanceClockBody,
  ): Promise<SandboxClock> {
    return this.sandbox.advance(tenantId, advanceSeconds);
  }
}
