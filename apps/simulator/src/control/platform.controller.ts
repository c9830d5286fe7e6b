import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Platform } from '../platform.js';
import { MaybeFromAccount } from './account-bodies.js';
import { Forgotten, MessagesSummary } from './contact-bodies.js';
import { ContactsService } from './contacts.service.js';
import { ErrorBody } from './refusals.js';

@ApiTags('platform')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller()
export class PlatformController {
  constructor(
    private readonly platform: Platform,
    private readonly contacts: ContactsService,
  ) {}

  @Get('messages/summary')
  @ApiOperation({ summary: 'Counts what reached contacts' })
  @ApiResponse({ status: 200, type: MessagesSummary, description: 'The counts.' })
  summary(@Query() query: MaybeFromAccount): MessagesSummary {
    return this.contacts.summary(query.from);
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Forgets everybody and cuts all connections' })
  @ApiResponse({ status: 200, type: Forgotten, description: 'Done.' })
  reset(): Forgotten {
    return { forgotten: this.platform.reset() };
  }
}
