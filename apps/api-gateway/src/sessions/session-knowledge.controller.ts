import { Body, Controller, Delete, Get, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  AddKnowledgeBody,
  FoundKnowledge,
  KnowledgeGap,
  KnowledgeSource,
  KnowledgeSourceText,
  type Page,
  PageQuery,
  SearchKnowledgeBody,
} from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { SessionKnowledgeService } from './session-knowledge.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';
const NONE = 'KNOWLEDGE_NOT_FOUND';

/** `/v1/sessions/:id/assistant/knowledge` */
@ApiTags('assistant')
@Controller('v1/sessions/:id/assistant/knowledge')
export class SessionKnowledgeController {
  constructor(private readonly knowledge: SessionKnowledgeService) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'listKnowledge',
    summary: 'List the sources of what the assistant of a session knows, newest first',
  })
  @ApiId('id', 'Session id.')
  @ApiPage(KnowledgeSource)
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  list(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<KnowledgeSource>> {
    return this.knowledge.list(caller, id, query);
  }

  @Post()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'addKnowledge',
    summary: 'Add a source to what the assistant of a session knows',
    description:
      'Before each answer the passages that fit what the contact wrote are put before the model; `GET …/turns` names their sources. A session has 100 sources with 1,000,000 characters at most. To change a source, add it anew and delete the old one.',
  })
  @ApiId('id', 'Session id.')
  @ApiCreatedResponse({ type: KnowledgeSource, description: 'The source.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  add(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: AddKnowledgeBody,
  ): Promise<KnowledgeSource> {
    return this.knowledge.add(caller, id, body);
  }

  @Post('search')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'searchKnowledge',
    summary: 'Search what the assistant of a session knows',
    description:
      'Finds what the model would read before it answers this text. Words are found in other forms and with a wrong letter, too; a passage fits that has a third of the words of the text, without those that every text has.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: FoundKnowledge, description: 'The passages.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  search(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: SearchKnowledgeBody,
  ): Promise<FoundKnowledge> {
    return this.knowledge.search(caller, id, body);
  }

  @Get('gaps')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listKnowledgeGaps',
    summary: 'List questions to which no source has an answer, those asked last first',
    description:
      'Of sessions that have sources, or answer only from them. The 500 that were asked last are kept, for 90 days.',
  })
  @ApiId('id', 'Session id.')
  @ApiPage(KnowledgeGap)
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  gaps(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<KnowledgeGap>> {
    return this.knowledge.gaps(caller, id, query);
  }

  @Delete('gaps/:gapId')
  @HttpCode(204)
  @UseGuards(NoBodyGuard)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'dismissKnowledgeGap',
    summary: 'Take a question off the list of gaps',
    description: 'It comes again when it is asked again and no source has an answer.',
  })
  @ApiId('id', 'Session id.')
  @ApiId('gapId', 'Id of the gap.')
  @ApiNoContentResponse({ description: 'It is off the list.' })
  @ApiErrors(NOT_FOUND, NONE)
  dismissGap(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @IdParam('gapId', NONE) gapId: string,
  ): Promise<void> {
    return this.knowledge.dismissGap(caller, id, gapId);
  }

  @Get(':sourceId')
  @NeedsScope('admin:*')
  @ApiOperation({ operationId: 'getKnowledge', summary: 'Read a source with its text' })
  @ApiId('id', 'Session id.')
  @ApiId('sourceId', 'Id of the source.')
  @ApiOkResponse({ type: KnowledgeSourceText, description: 'The source.' })
  @ApiErrors(NOT_FOUND, NONE)
  get(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @IdParam('sourceId', NONE) sourceId: string,
  ): Promise<KnowledgeSourceText> {
    return this.knowledge.get(caller, id, sourceId);
  }

  @Delete(':sourceId')
  @HttpCode(204)
  @UseGuards(NoBodyGuard)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'deleteKnowledge',
    summary: 'Delete a source',
    description: 'The next answer is made without it.',
  })
  @ApiId('id', 'Session id.')
  @ApiId('sourceId', 'Id of the source.')
  @ApiNoContentResponse({ description: 'It is deleted.' })
  @ApiErrors(NOT_FOUND, NONE)
  delete(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @IdParam('sourceId', NONE) sourceId: string,
  ): Promise<void> {
    return this.knowledge.delete(caller, id, sourceId);
  }
}
