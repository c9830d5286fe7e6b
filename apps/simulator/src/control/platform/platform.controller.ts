import { Controller, Get, Header, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { MAGIC_NUMBERS } from '../../people/magic-numbers.js';
import { MaybeFromAccount } from '../messages/message-bodies.js';
import { PlatformService } from './platform.service.js';
import { MagicNumberList, MessagesSummary, ResetCount } from './platform-bodies.js';
import { ConnectionList, ConnectionsSince } from './connection-bodies.js';
import { ErrorBody } from '../../http/refusals.js';

/** Names the certificate of the media host's authority. */
export const MEDIA_AUTHORITY = Symbol('media authority');

@ApiTags('platform')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller()
export class PlatformController {
  constructor(
    private readonly service: PlatformService,
    @Inject(MEDIA_AUTHORITY) private readonly ca: string,
  ) {}

  @Get('media/ca.pem')
  @Header('content-type', 'application/x-pem-file')
  @ApiOperation({
    summary: 'Certificate that clients have to trust in order to up- and download files',
    description:
      'Save it and name the file in SANDBOX_PLATFORM_CA_FILE of the worker, or give it to an agent. Same seed, same certificate.',
  })
  @ApiResponse({ status: 200, content: { 'application/x-pem-file': {} }, description: 'The certificate.' })
  authority(): string {
    return this.ca;
  }

  @Get('messages/summary')
  @ApiOperation({ summary: 'Counts what reached contacts' })
  @ApiResponse({ status: 200, type: MessagesSummary, description: 'The counts.' })
  summary(@Query() query: MaybeFromAccount): MessagesSummary {
    return this.service.summary(query.from);
  }

  @Get('magic-numbers')
  @ApiOperation({ summary: 'Recipients with whom a send always ends in the same way' })
  @ApiResponse({ status: 200, type: MagicNumberList, description: 'All of them.' })
  magicNumbers(): MagicNumberList {
    return { items: MAGIC_NUMBERS.map(({ phone, outcome }) => ({ phone, outcome })) };
  }

  @Get('connections')
  @ApiOperation({
    summary: 'Log-ins of linked devices and ends of their connections',
    description: 'Ask again with `since` to learn what has come since. A restart begins at 0.',
  })
  @ApiResponse({ status: 200, type: ConnectionList, description: 'What came after `since`.' })
  connections(@Query() { since = 0 }: ConnectionsSince): ConnectionList {
    return this.service.connections(since);
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Forgets everybody and cuts all connections' })
  @ApiResponse({ status: 200, type: ResetCount, description: 'Done.' })
  async reset(): Promise<ResetCount> {
    return { forgotten: await this.service.reset() };
  }
}
