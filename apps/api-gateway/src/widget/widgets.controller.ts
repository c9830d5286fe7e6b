import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Page, PageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId, ApiPage } from '../openapi/answers.js';
import { CreateWidgetBody, UpdateWidgetBody, WidgetView } from './widget-bodies.js';
import { WidgetsService } from './widgets.service.js';

const NOT_FOUND = 'WIDGET_NOT_FOUND';

/** `/v1/widgets` */
@ApiTags('widgets')
@Controller('v1/widgets')
export class WidgetsController {
  constructor(private readonly widgets: WidgetsService) {}

  @Post()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'createWidget',
    summary: 'Create a widget: a button for your pages that opens a chat with a session',
    description:
      'Put `embed` of the answer on the page. Under a Content-Security-Policy the page allows this origin in script-src and connect-src; nothing else is needed. No cookies are set.',
  })
  @ApiCreatedResponse({ type: WidgetView, description: 'Created.' })
  @ApiErrors('VALIDATION_FAILED', 'SESSION_NOT_FOUND', 'QUOTA_CONFLICT')
  create(@CurrentCaller() caller: Caller, @Body() body: CreateWidgetBody): Promise<WidgetView> {
    return this.widgets.create(caller, body);
  }

  @Get()
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'listWidgets', summary: 'List widgets' })
  @ApiPage(WidgetView, 'by id')
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<WidgetView>> {
    return this.widgets.list(caller, query);
  }

  @Get(':id')
  @NeedsScope('messages:read')
  @ApiOperation({ operationId: 'getWidget', summary: 'Read a widget' })
  @ApiId('id', 'Widget id.')
  @ApiOkResponse({ type: WidgetView, description: 'The widget.' })
  @ApiErrors(NOT_FOUND)
  get(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<WidgetView> {
    return this.widgets.get(caller, id);
  }

  @Patch(':id')
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'updateWidget',
    summary: 'Change a widget',
    description: 'Pages show it within a minute.',
  })
  @ApiId('id', 'Widget id.')
  @ApiOkResponse({ type: WidgetView, description: 'The widget as it is now.' })
  @ApiErrors(NOT_FOUND, 'VALIDATION_FAILED', 'SESSION_NOT_FOUND')
  update(
    @CurrentCaller() caller: Caller,
    @IdParam('id', NOT_FOUND) id: string,
    @Body() body: UpdateWidgetBody,
  ): Promise<WidgetView> {
    return this.widgets.update(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('admin:*')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteWidget',
    summary: 'Delete a widget',
    description: 'Pages with it show nothing any more.',
  })
  @ApiId('id', 'Widget id.')
  @ApiNoContentResponse({ description: 'Deleted.' })
  @ApiErrors(NOT_FOUND, 'VALIDATION_FAILED')
  delete(@CurrentCaller() caller: Caller, @IdParam('id', NOT_FOUND) id: string): Promise<void> {
    return this.widgets.delete(caller, id);
  }
}
