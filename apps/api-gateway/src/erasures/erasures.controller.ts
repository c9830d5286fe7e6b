import { Controller, Delete, Get, HttpCode, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Erasure } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiContact, ContactParam } from '../contacts/contact-param.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { ErasuresService } from './erasures.service.js';

/** `DELETE /v1/contacts/:contact` and its receipt. */
@ApiTags('contacts')
@Controller('v1')
export class ErasuresController {
  constructor(private readonly erasures: ErasuresService) {}

  @Delete('contacts/:contact')
  @HttpCode(202)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'eraseContact',
    summary: 'Erase a person',
    description:
      'Erases what the contact wrote up to now and what was sent to the contact: messages, files, events, deliveries and dead letters, also what is still on its way. An event of others that names the contact (a mention, a quote) is emptied, and its undelivered webhooks go with it; the message of others stays, without the mention and the quote. A message that sent a card of the contact to somebody else stays without number and name; one that has not gone out is canceled. Until it is done, a send to the contact is refused; what the contact writes from now on is kept as ever. Repeating it while it runs returns the same receipt. A thousand may wait at a time; then 429 with layer `erasure`. Units and tokens that were counted stay counted, files that you uploaded are kept for their month, and those that came with a message go with it. 404 only where there is nothing to erase: one whom others quoted, or of whom an event or a dead letter is left, is erased like any other.',
  })
  @ApiContact()
  @ApiAcceptedResponse({ type: Erasure, description: 'The receipt: it is filled while the erasure runs.' })
  @ApiErrors('CONTACT_NOT_FOUND', 'VALIDATION_FAILED')
  erase(@CurrentCaller() caller: Caller, @ContactParam() contact: string): Promise<Erasure> {
    return this.erasures.request(caller, contact);
  }

  @Get('erasures/:id')
  @NeedsScope('admin:*')
  @ApiOperation({ operationId: 'getErasure', summary: 'Read the receipt of an erasure' })
  @ApiId('id', 'Erasure id.')
  @ApiOkResponse({ type: Erasure, description: 'The receipt.' })
  @ApiErrors('ERASURE_NOT_FOUND')
  get(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', 'ERASURE_NOT_FOUND') id: string,
  ): Promise<Erasure> {
    return this.erasures.get(tenantId, id);
  }
}
