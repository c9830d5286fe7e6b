import { Body, Controller, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AssistantFigures,
  DemandEvalsBody,
  EvalsRunBody,
  FiguresQuery,
  JudgeBody,
  Judgement,
  type Page,
  PageQuery,
  PlayBody,
  PlayedAnswer,
  PublishAssistantBody,
  PutSessionAssistantBody,
  SessionAssistant,
  TurnView,
} from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { SessionAssistantService } from './session-assistant.service.js';

const NOT_FOUND = 'SESSION_NOT_FOUND';

/** `/v1/sessions/:id/assistant` */
@ApiTags('assistant')
@Controller('v1/sessions/:id/assistant')
export class SessionAssistantController {
  constructor(private readonly assistant: SessionAssistantService) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'getSessionAssistant',
    summary: 'Read the settings of the assistant of a session',
    description: 'The draft, and the version that holds, each with all its values.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionAssistant, description: 'The settings.' })
  @ApiErrors(NOT_FOUND)
  get(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<SessionAssistant> {
    return this.assistant.get(caller, id);
  }

  @Put()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'putSessionAssistant',
    summary: 'Write the draft of the settings of an assistant',
    description:
      'Nobody is answered by a draft: publish it. With `ifRevision` nothing is written over that somebody else has changed meanwhile.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionAssistant, description: 'The settings from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'ASSISTANT_CONFLICT')
  put(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: PutSessionAssistantBody,
  ): Promise<SessionAssistant> {
    return this.assistant.put(caller, id, body);
  }

  @Post('publish')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'publishSessionAssistant',
    summary: 'Publish the draft of an assistant, or an earlier version once more',
    description:
      'Contacts are answered by it from the next message on, where the session is MANAGED. `version` goes back to an earlier one; the draft stays as it is then. A repeat changes nothing: a draft that holds already becomes no further version. The 50 newest versions are kept.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionAssistant, description: 'The settings from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'ASSISTANT_CONFLICT')
  publish(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: PublishAssistantBody,
  ): Promise<SessionAssistant> {
    return this.assistant.publish(caller, id, body);
  }

  @Post('playground')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'playSessionAssistant',
    summary: 'Try out what the assistant of a session would answer',
    description:
      'The draft answers, or the version that holds: the same way as it would a contact, with its knowledge, and of its tools those that change nothing. Nothing is sent, and nobody gets the conversation; calls and tokens count as any others. It may take half a minute.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: PlayedAnswer, description: 'The answer, or why there is none.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'ASSISTANT_CONFLICT')
  play(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: PlayBody,
  ): Promise<PlayedAnswer> {
    return this.assistant.play(caller, id, body);
  }

  @Post('judge')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'judgeSessionAssistant',
    summary: 'Have a model judge what was answered',
    description:
      'The model of your provider says of each sentence whether it is true of the last message. Calls and tokens count as any others. A model may err: judge by rules what rules can say. It may take half a minute.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: Judgement, description: 'The judgement.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  judge(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: JudgeBody,
  ): Promise<Judgement> {
    return this.assistant.judge(caller, id, body);
  }

  @Put('evals')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'demandAssistantEvals',
    summary: 'Have publishing demand evals',
    description:
      'From then on a draft is published only after a run of evals in which every conversation held: `svc evals run FILE --report`. An earlier version may be published again without one.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionAssistant, description: 'The settings from now on.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  demandEvals(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: DemandEvalsBody,
  ): Promise<SessionAssistant> {
    return this.assistant.demandEvals(caller, id, body);
  }

  @Post('evals')
  @HttpCode(200)
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'reportAssistantEvals',
    summary: 'Tell how a run of evals ended',
    description:
      '`svc evals run FILE --report` does it. The run is of one revision of the draft: whoever changes it runs the evals again.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: SessionAssistant, description: 'The settings, with the run.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND, 'ASSISTANT_CONFLICT')
  reportEvals(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: EvalsRunBody,
  ): Promise<SessionAssistant> {
    return this.assistant.noteEvalsRun(caller, id, body);
  }

  @Get('turns')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'listAssistantTurns',
    summary: 'List what the assistant of a session did, newest first',
    description:
      'A turn is what a contact wrote until it was answered together: why it was answered or not, by which version, and what it cost. What was written is in the messages. Turns are kept for 30 days.',
  })
  @ApiId('id', 'Session id.')
  @ApiPage(TurnView)
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  turns(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<TurnView>> {
    return this.assistant.turns(caller, id, query);
  }

  @Get('figures')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getAssistantFigures',
    summary: 'Count what the assistant of a session did',
    description:
      'How many turns were answered and handed to a person, why the others were not answered, what a conversation costs, and all that by day: of 30 days at most, for which turns are kept.',
  })
  @ApiId('id', 'Session id.')
  @ApiOkResponse({ type: AssistantFigures, description: 'The figures.' })
  @ApiErrors('VALIDATION_FAILED', NOT_FOUND)
  figures(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Query() query: FiguresQuery,
  ): Promise<AssistantFigures> {
    return this.assistant.figures(caller, id, query);
  }
}
