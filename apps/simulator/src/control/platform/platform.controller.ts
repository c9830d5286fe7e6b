import { Controller, Get, Header, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { MAGIC_NUMBERS } from '../../people/magic-numbers.js';
import { Platform } from '../../platform.js';
import { Refusal } from '../../http/refusal.js';
import { MaybeFromAccount } from '../accounts/account-bodies.js';
import { ConnectionList, ConnectionsSince } from './connection-bodies.js';
import { Forgotten, MagicNumberList, MessagesSummary } from '../contacts/contact-bodies.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { ErrorBody } from '../../http/refusals.js';

/** Names the certificate of the media host's authority. */
export const MEDIA_AUTHORITY = Symbol('media authority');

@ApiTags('platform')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller()
export class PlatformController {
  constructor(
    private readonly platform: Platform,
    private readonly contacts: ContactsService,
    @Inject(MEDIA_AUTHORITY) private readonly ca: string,
  ) {}

  @Get('media/ca.pem')
  @Header('content-type', 'application/x-pem-file')
  @ApiOperation({
    summary: 'Certificate that clients have to trust in order to up- and download files',
    description:
      'Save it and name the file in NODE_EXTRA_CA_CERTS, or give it to an agent. Same seed, same certificate.',
  })
  @ApiResponse({ status: 200, content: { 'application/x-pem-file': {} }, description: 'The certificate.' })
  authority(): string {
    return this.ca;
  }

  @Get('messages/summary')
  @ApiOperation({ summary: 'Counts what reached contacts' })
  @ApiResponse({ status: 200, type: MessagesSummary, description: 'The counts.' })
  summary(@Query() query: MaybeFromAccount): MessagesSummary {
    return this.contacts.summary(query.from);
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
    const page = this.platform.connectionLog.after(since);
    if (page) return { ...page, now: new Date() };
    const words = 'since must be the cursor of an earlier answer of this run';
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { since: [words] } });
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Forgets everybody and cuts all connections' })
  @ApiResponse({ status: 200, type: Forgotten, description: 'Done.' })
  async reset(): Promise<Forgotten> {
    return { forgotten: await this.platform.reset() };
  }
}
