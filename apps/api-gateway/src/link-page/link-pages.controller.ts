import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LinkPageBody, LinkPageView, SubscriptionState } from '@svc/contracts';
import { type Caller, CurrentCaller, CurrentSubscription, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { NeedsSubscription } from '../subscriptions/subscriptions.service.js';
import { LinkPagesService } from './link-pages.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';

/** `/v1/sessions/:id/link-page`: an address at which somebody else links their number. */
@ApiTags('sessions')
@Controller('v1/sessions/:id/link-page')
export class LinkPagesController {
  constructor(private readonly pages: LinkPagesService) {}

  @Post()
  @NeedsScope('admin:*')
  @NeedsSubscription()
  @ApiOperation({
    operationId: 'createLinkPage',
    summary: 'Make the address of a page on which your customer links their number',
    description:
      'The page says who will read and write on the number, in names that the operator has confirmed, asks for consent, and leads through QR code or typed code, and the passkey where the platform wants one. Whoever opens it first has it: it works in that browser alone. A newer address replaces the former one.',
  })
  @ApiId('id', 'Session id.')
  @ApiCreatedResponse({ type: LinkPageView, description: 'The address, shown this once.' })
  @ApiErrors('PAYMENT_REQUIRED', 'VALIDATION_FAILED', NOT_FOUND, 'LINK_PAGE_NOT_ALLOWED', 'ALREADY_LINKED')
  make(
    @CurrentCaller() caller: Caller,
    @CurrentSubscription() subscription: SubscriptionState,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: LinkPageBody,
  ): Promise<LinkPageView> {
    return this.pages.make(caller, subscription, id, body);
  }
}
