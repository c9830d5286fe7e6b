import { Controller, Get, Header, Headers, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiId, ApiPublicErrors } from '../openapi/answers.js';
import { PublicPaces } from './public-paces.js';
import { PublicWidgetService } from './public-widget.service.js';
import { WidgetConfig } from './widget-bodies.js';

const NOT_FOUND = 'WIDGET_NOT_FOUND';

/** `/v1/public/widget`: for browsers, without a key. */
@ApiTags('widgets')
@Controller('v1/public/widget')
export class PublicWidgetController {
  constructor(
    private readonly widgets: PublicWidgetService,
    private readonly paces: PublicPaces,
  ) {}

  @Get(':id/widget.js')
  @Public()
  @Header('cache-control', 'public, max-age=3600')
  @Header('x-content-type-options', 'nosniff')
  @Header('cross-origin-resource-policy', 'cross-origin')
  @ApiOperation({ operationId: 'getWidgetScript', summary: 'The script that puts a widget on a page' })
  @ApiId('id', 'Widget id.')
  @ApiOkResponse({
    description: 'JavaScript, a few kilobytes; 304 where the browser has it.',
    content: { 'text/javascript': { schema: { type: 'string' } } },
  })
  @ApiPublicErrors(NOT_FOUND)
  script(
    @Req() { ip }: FastifyRequest,
    @IdParam('id', NOT_FOUND) id: string,
    @Headers('if-none-match') cachedTag: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | undefined {
    this.paces.take(ip, id);
    const { script, scriptTag } = this.widgets;
    void reply.header('etag', scriptTag).type('text/javascript; charset=utf-8');
    if (cachedTag === scriptTag) return void reply.status(304);
    return script;
  }

  @Get(':id/config')
  @Public()
  @Header('cache-control', 'public, max-age=60')
  @Header('vary', 'Origin')
  // A refusal says nothing of the tenant. Without the header a page would see a failure of the network in its place.
  @Header('access-control-allow-origin', '*')
  @ApiOperation({
    operationId: 'getWidgetConfig',
    summary: 'What a widget shows',
    description: 'Only for pages of the origins that the widget names; the browser says which one it is.',
  })
  @ApiId('id', 'Widget id.')
  @ApiOkResponse({ type: WidgetConfig, description: 'What to show.' })
  @ApiPublicErrors(NOT_FOUND, 'ORIGIN_NOT_ALLOWED')
  async config(
    @Req() { ip }: FastifyRequest,
    @IdParam('id', NOT_FOUND) id: string,
    @Headers('origin') origin: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WidgetConfig> {
    this.paces.take(ip, id);
    const config = await this.widgets.of(id, origin);
    void reply.header('access-control-allow-origin', origin);
    return config;
  }
}
