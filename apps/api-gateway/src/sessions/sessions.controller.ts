import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CreatedSession,
  CreateSessionBody,
  type Page,
  PageQuery,
  PromoteTierBody,
  SessionQr,
  SessionView,
  SubscriptionState,
  TierPromotion,
  UpdateSessionBody,
} from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import QRCode from 'qrcode';
import { type Caller, CurrentCaller, CurrentSubscription, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { NeedsSubscription } from '../subscriptions/subscriptions.service.js';
import { SessionCreationService } from './session-creation.service.js';
import { SessionsService } from './sessions.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';
const PNG_OPTIONS = { type: 'png', errorCorrectionLevel: 'L', margin: 4, scale: 6 } as const;

/** `/v1/sessions` */
@ApiTags('sessions')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly creation: SessionCreationService,
  ) {}

  @Post()
  @NeedsScope('admin:*')
  @NeedsSubscription()
  @ApiOperation({
    operationId: 'createSession',
    summary: 'Create a session',
    description:
      'Connecting starts by itself: read the QR code and scan it within three minutes. Without `botMode` nobody answers what people write to the session: it is MANAGED, and its assistant is off. With `botMode: MANAGED` the assistant answers; say by `PUT /v1/assistant` which language models it asks. With `botMode: EXTERNAL` and a `webhookUrl` your bot does, from the first message on: the answer has the secret, as that of PUT external-config. Where that fails there is no session either.',
  })
  @ApiCreatedResponse({ type: CreatedSession, description: 'Created.' })
  @ApiErrors('PAYMENT_REQUIRED', 'VALIDATION_FAILED', 'SANDBOX_UNAVAILABLE')
  create(
    @CurrentCaller() caller: Caller,
    @CurrentSubscription() subscription: SubscriptionState,
    @Body() body: CreateSessionBody,
  ): Promise<CreatedSession> {
    return this.creation.create(subscription, body, caller);
  }

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'listSessions', summary: 'List sessions, newest first' })
  @ApiPage(SessionView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: PageQuery): Promise<Page<SessionView>> {
    return this.sessions.list(tenantId, query);
  }

  @Get(':id')
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'getSession', summary: 'Read one session' })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session.' })
  @ApiErrors(NOT_FOUND)
  get(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<SessionView> {
    return this.sessions.view(tenantId, id);
  }

  @Patch(':id')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'updateSession',
    summary: 'Change the name, the proxy or the presence of a session',
    description: 'A session that is connected loses its connection for a moment where the proxy changes.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  update(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: UpdateSessionBody,
  ): Promise<SessionView> {
    return this.sessions.update(tenantId, id, body);
  }

  @Get(':id/qr')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'getSessionQr',
    summary: 'Read the QR code to scan',
    description:
      'JSON with the text to draw, or a picture with `Accept: image/png`. Asking keeps the code coming.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({
    description: 'The QR code of this moment.',
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/SessionQr' } },
      'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } as object },
    },
  })
  @ApiErrors(NOT_FOUND, 'QR_CONFLICT')
  async qr(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionQr | Buffer> {
    const code = await this.sessions.qr(tenantId, id);
    if (!accept?.includes('image/png')) return code;
    void reply.type('image/png');
    return QRCode.toBuffer(code.qr, PNG_OPTIONS);
  }

  @Post(':id/connect')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @NeedsSubscription()
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'connectSession',
    summary: 'Connect a session',
    description: 'One that is read-only, because the plan has no room for it, is not connected.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session; connecting goes on.' })
  @ApiErrors('PAYMENT_REQUIRED', 'VALIDATION_FAILED', NOT_FOUND)
  async connect(
    @CurrentSubscription() subscription: SubscriptionState,
    @IdParam('id', NOT_FOUND) id: string,
  ): Promise<SessionView> {
    return this.sessions.withTier(await this.sessions.connect(subscription, id));
  }

  @Post(':id/disconnect')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({ operationId: 'disconnectSession', summary: 'Disconnect a session; the phone stays linked' })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  disconnect(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<SessionView> {
    return this.change(caller, id, 'disconnect');
  }

  @Post(':id/logout')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({ operationId: 'logoutSession', summary: 'Unlink the phone' })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionView, description: 'The session.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  logout(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<SessionView> {
    return this.change(caller, id, 'logout');
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteSession',
    summary: 'Unlink the phone and delete the session',
    description:
      'The endpoint that is bound to it is deleted with it. Keys that `mintApiKey` made for its bot, and those that have replaced them, are revoked; only the last live key with `admin:*` or `*` and no end stays.',
  })
  @ApiId('id', 'Session id.')
  @ApiNoContentResponse({ description: 'Deleted.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  delete(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<void> {
    return this.sessions.delete(caller, id);
  }

  @Post(':id/promote-warmup-tier')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({ operationId: 'promoteWarmupTier', summary: 'Raise the warmup tier; it never goes down' })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: TierPromotion, description: 'Promoted.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  promote(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: PromoteTierBody,
  ): Promise<TierPromotion> {
    return this.sessions.promote(caller, id, body);
  }

  private async change(
    { tenantId }: Caller,
    id: string,
    action: 'disconnect' | 'logout',
  ): Promise<SessionView> {
    return this.sessions.withTier(await this.sessions.change(tenantId, id, action));
  }
}
