import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Platform } from '../../platform.js';
import { accountOf } from '../lookups.js';
import { ChangePresence, SeenTypingList, StartTyping, NoticeCount } from './presence-bodies.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const PHONE = { name: 'phone', description: 'Phone of the contact.', example: '4915550002000' };
const NOTICES = { status: 200, type: NoticeCount, description: 'Done.' };

@ApiTags('contacts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('contacts/:phone')
export class PresenceController {
  constructor(private readonly platform: Platform) {}

  @Post('typing')
  @HttpCode(200)
  @ApiOperation({ summary: 'Starts or stops writing to an account' })
  @ApiParam(PHONE)
  @ApiResponse(NOTICES)
  type(@Param('phone', PhonePipe) phone: string, @Body() { to, state }: StartTyping): NoticeCount {
    const account = accountOf(this.platform, to);
    const person = this.platform.population.ensureContact(phone);
    return { devices: this.platform.presence.type(person, account, state) };
  }

  @Post('presence')
  @HttpCode(200)
  @ApiOperation({ summary: 'Comes or goes; the devices that asked for it are told' })
  @ApiParam(PHONE)
  @ApiResponse(NOTICES)
  change(@Param('phone', PhonePipe) phone: string, @Body() { available }: ChangePresence): NoticeCount {
    return {
      devices: this.platform.presence.change(this.platform.population.ensureContact(phone), available),
    };
  }

  @Get('typing')
  @ApiOperation({ summary: 'What accounts do in their chats with the contact, as it was last told' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: SeenTypingList, description: 'One entry per account and chat.' })
  seen(@Param('phone', PhonePipe) phone: string): SeenTypingList {
    const seen = [...(this.platform.population.get(phone)?.seenTyping.values() ?? [])];
    return { items: seen.map(({ at, ...typing }) => ({ ...typing, at: at.toISOString() })) };
  }
}
