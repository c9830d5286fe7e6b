import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ContactView,
  MarkReadBody,
  PairingCode,
  PairingCodeBody,
  SubscriptionState,
  TypingBody,
} from '@svc/contracts';
import { type Caller, CurrentCaller, CurrentSubscription, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { NeedsSubscription } from '../subscriptions/subscriptions.service.js';
import { LiveService } from './live.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';
const CONNECTED_ONLY = [
  'VALIDATION_FAILED',
  'SESSION_NOT_CONNECTED',
  NOT_FOUND,
  'PLATFORM_UNAVAILABLE',
] as const;

/** `/v1/sessions/:id/…`: what only the worker can do that holds the session's socket. */
@ApiTags('sessions')
@Controller('v1/sessions/:id')
export class LiveController {
  constructor(private readonly live: LiveService) {}

  @Post('pairing-code')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @NeedsSubscription()
  @ApiOperation({
    operationId: 'requestPairingCode',
    summary: 'Get a code to type on the phone instead of scanning',
    description:
      'Connects the session if it rests, and counts as a look at the QR code, which is shown beside it. Asking again for the same number gives the same code until it expires, or until `session.pairing_code_replaced` says that the platform wants another one.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: PairingCode, description: 'The code to type.' })
  @ApiErrors(
    'PAYMENT_REQUIRED',
    'VALIDATION_FAILED',
    NOT_FOUND,
    'ALREADY_LINKED',
    'QR_CONFLICT',
    'DEVICE_NAME_REFUSED',
    'PLATFORM_UNAVAILABLE',
  )
  pairingCode(
    @CurrentSubscription() subscription: SubscriptionState,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() { phone }: PairingCodeBody,
  ): Promise<PairingCode> {
    return this.live.pairingCode(subscription, id, phone);
  }

  @Post('read')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'markMessagesRead',
    summary: 'Mark received messages as read',
    description:
      'All of them or none. What the contacts see follows the privacy settings of the phone. Messages can be marked for as long as the gateway keeps their journal (30 days by default).',
  })
  @ApiId('id', 'Session id.')
  @ApiNoContentResponse({ description: 'The platform was told.' })
  @ApiErrors(...CONNECTED_ONLY, 'MESSAGE_NOT_FOUND')
  read(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: MarkReadBody,
  ): Promise<void> {
    return this.live.markRead(tenantId, id, body);
  }

  @Post('typing')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @ApiOperation({ operationId: 'setTyping', summary: 'Show a contact that somebody writes' })
  @ApiId('id', 'Session id.')
  @ApiNoContentResponse({ description: 'The platform was told.' })
  @ApiErrors(...CONNECTED_ONLY)
  typing(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: TypingBody,
  ): Promise<void> {
    return this.live.typing(tenantId, id, body);
  }

  @Post('calls/:callId/reject')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'rejectCall',
    summary: 'Reject a call that rings',
    description:
      'For as long as it rings, `call.received` tells of it, to endpoints that name it. It stops ringing on the phone, too.',
  })
  @ApiId('id', 'Session id.')
  @ApiParam({
    name: 'callId',
    description: 'Id of the call, as `call.received` tells it.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50',
  })
  @ApiNoContentResponse({ description: 'The platform was told.' })
  @ApiErrors('SESSION_NOT_CONNECTED', NOT_FOUND, 'CALL_NOT_RINGING', 'PLATFORM_UNAVAILABLE')
  rejectCall(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Param('callId') callId: string,
  ): Promise<void> {
    return this.live.rejectCall(tenantId, id, callId);
  }

  @Get('contacts/:phone')
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'getContact',
    summary: 'Ask the platform whether it knows a number',
    description: 'Asked anew each time; who checks long lists of numbers may be taken for a spammer.',
  })
  @ApiId('id', 'Session id.')
  @ApiParam({ name: 'phone', description: 'Phone number with its country code.', example: '+4915112345678' })
  @ApiOkResponse({ type: ContactView, description: 'What the platform says.' })
  @ApiErrors(...CONNECTED_ONLY)
  contact(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Param('phone') phone: string,
  ): Promise<ContactView> {
    return this.live.lookUp(tenantId, id, phone);
  }
}
