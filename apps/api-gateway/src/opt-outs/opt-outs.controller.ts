import { Body, Controller, Delete, Get, HttpCode, Put, Query, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OptOutView, OptOutWords, type Page, PageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiContact, ContactParam } from '../contacts/contact-param.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { ApiErrors, ApiPage } from '../openapi/answers.js';
import { OptOutsService } from './opt-outs.service.js';

/** `/v1/opt-outs` and `/v1/opt-out-words` */
@ApiTags('contacts')
@Controller('v1')
export class OptOutsController {
  constructor(private readonly optOuts: OptOutsService) {}

  @Get('opt-outs')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listOptOuts',
    summary: 'List contacts who have opted out of your messages, the last one first',
  })
  @ApiPage(OptOutView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: PageQuery): Promise<Page<OptOutView>> {
    return this.optOuts.list(tenantId, query);
  }

  @Put('opt-outs/:contact')
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'addOptOut',
    summary: 'Note that a contact has opted out',
    description:
      'As if the contact had written one of the words: from then on each send to them, by whichever session, is refused with `CONTACT_OPTED_OUT`, and the assistant does not answer. Messages that were accepted before go out; scheduled ones fail at their time.',
  })
  @ApiContact()
  @ApiOkResponse({ type: OptOutView, description: 'The contact; also where it was noted before.' })
  @ApiErrors('VALIDATION_FAILED', 'CONTACT_NOT_FOUND')
  add(@CurrentCaller() caller: Caller, @ContactParam() contact: string): Promise<OptOutView> {
    return this.optOuts.add(caller, contact);
  }

  @Delete('opt-outs/:contact')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'removeOptOut',
    summary: 'Note that a contact has agreed to your messages again',
  })
  @ApiContact()
  @ApiNoContentResponse({ description: 'They may be sent messages; also where they never opted out.' })
  @ApiErrors('VALIDATION_FAILED', 'CONTACT_NOT_FOUND')
  remove(@CurrentCaller() caller: Caller, @ContactParam() contact: string): Promise<void> {
    return this.optOuts.remove(caller, contact);
  }

  @Get('opt-out-words')
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'getOptOutWords', summary: 'Read the words by which contacts opt out' })
  @ApiOkResponse({ type: OptOutWords, description: 'The words; none where you have set none.' })
  @ApiErrors()
  getWords(@CurrentCaller() { tenantId }: Caller): Promise<OptOutWords> {
    return this.optOuts.getWords(tenantId);
  }

  @Put('opt-out-words')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'putOptOutWords',
    summary: 'Say by which words contacts opt out of your messages, and in again',
    description:
      'They hold for messages that come from now on, in chats with one person, in all sessions. Such a message is told to you like any other; nobody answers it.',
  })
  @ApiOkResponse({ type: OptOutWords, description: 'The words from now on.' })
  @ApiErrors('VALIDATION_FAILED')
  putWords(@CurrentCaller() caller: Caller, @Body() body: OptOutWords): Promise<OptOutWords> {
    return this.optOuts.putWords(caller, body);
  }
}
