import { Body, Controller, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DraftView, EditDraftBody, ListDraftsQuery, type Page, SentDraft } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { DraftsService } from './drafts.service.js';

const NOT_FOUND = 'DRAFT_NOT_FOUND';
const SENT = 'The message is on its way.';
/** Errors of a draft that is approved, besides what a send is refused with. */
const APPROVAL = [NOT_FOUND, 'DRAFT_CONFLICT', 'CONTACT_CONFLICT'] as const;
/** Refusals of a send, as they are when the draft is approved. */
const REFUSALS = [
  ...(['VALIDATION_FAILED', 'PAYMENT_REQUIRED', 'RATE_LIMITED'] as const),
  ...(['SESSION_NOT_FOUND', 'SESSION_NOT_CONNECTED', 'CONTACT_OPTED_OUT'] as const),
];

/** `/v1/drafts` */
@ApiTags('assistant')
@Controller('v1/drafts')
export class DraftsController {
  constructor(private readonly drafts: DraftsService) {}

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listDrafts',
    summary: 'List answers that wait for a person to approve them, the last one first',
    description:
      'The assistant makes them where its mode is draft. A conversation has one at most: what the contact writes next ends it. Each waits for 24 hours, the 500 newest ones of a session. A page may hold fewer drafts than limit, although there are more: nextCursor is null at the end.',
  })
  @ApiPage(DraftView)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: ListDraftsQuery): Promise<Page<DraftView>> {
    return this.drafts.list(tenantId, query);
  }

  @Post(':id/approve')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'approveDraft',
    summary: 'Send a draft as it is',
    description:
      'It is sent once, however often it is approved, and counts as any other message. `DRAFT_CONFLICT` where somebody has written in the conversation since, or the draft was discarded: nothing is sent then.',
  })
  @ApiId('id', 'Draft id.')
  @ApiOkResponse({ type: SentDraft, description: SENT })
  @ApiErrors(...REFUSALS, ...APPROVAL)
  approve(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) draftId: string,
  ): Promise<SentDraft> {
    return this.drafts.approve({ tenantId, draftId });
  }

  @Post(':id/edit')
  @HttpCode(200)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'editDraft',
    summary: 'Send a draft with another text',
    description:
      'As `approveDraft`, with this text in place of its own. A repeat with the same text changes nothing; one with another text is `DRAFT_CONFLICT`.',
  })
  @ApiId('id', 'Draft id.')
  @ApiOkResponse({ type: SentDraft, description: SENT })
  @ApiErrors(...REFUSALS, ...APPROVAL)
  edit(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('id', NOT_FOUND) draftId: string,
    @Body() { text }: EditDraftBody,
  ): Promise<SentDraft> {
    return this.drafts.approve({ tenantId, draftId, text });
  }

  @Post(':id/discard')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'discardDraft',
    summary: 'Discard a draft',
    description: 'Nothing is sent. `DRAFT_CONFLICT` where it was approved.',
  })
  @ApiId('id', 'Draft id.')
  @ApiNoContentResponse({ description: 'Discarded; also where it waited no more.' })
  @ApiErrors(NOT_FOUND, 'DRAFT_CONFLICT')
  discard(@CurrentCaller() { tenantId }: Caller, @IdParam('id', NOT_FOUND) draftId: string): Promise<void> {
    return this.drafts.discard({ tenantId, draftId });
  }
}
