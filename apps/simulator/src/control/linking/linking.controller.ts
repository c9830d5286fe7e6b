import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { Platform } from '../../platform.js';
import { LinkingChange, LinkingView, UnlinkedLife } from './linking-bodies.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };
const RULES = { status: 200, type: LinkingView, description: 'The rules as they are now.' };

/** Controller of what phone and platform do when a device is linked. */
@ApiTags('linking')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller()
export class LinkingController {
  constructor(private readonly platform: Platform) {}

  @Get('accounts/:phone/linking')
  @ApiOperation({ summary: 'Shows how devices are linked to a number, and what those were told that tried' })
  @ApiParam(PHONE)
  @ApiResponse(RULES)
  get(@Param('phone', PhonePipe) phone: string): LinkingView {
    const { rules, notices } = this.platform.pairing;
    return { ...rules.of({ phone }), notices: notices.of(phone) };
  }

  @Put('accounts/:phone/linking')
  @ApiOperation({ summary: 'Changes how devices are linked to a number; what is not given stays' })
  @ApiParam(PHONE)
  @ApiResponse(RULES)
  change(@Param('phone', PhonePipe) phone: string, @Body() body: LinkingChange): LinkingView {
    this.platform.pairing.rules.change(phone, withoutUndefined(body));
    return this.get(phone);
  }

  @Delete('accounts/:phone/linking')
  @ApiOperation({ summary: 'Links devices to a number as usual again' })
  @ApiParam(PHONE)
  @ApiResponse(RULES)
  clear(@Param('phone', PhonePipe) phone: string): LinkingView {
    this.platform.pairing.rules.clear(phone);
    return this.get(phone);
  }

  @Put('linking')
  @ApiOperation({ summary: 'Changes how long new connections live that link nothing' })
  @ApiResponse({ status: 200, type: UnlinkedLife, description: 'It holds from now on.' })
  changeLife(@Body() { lifeMs }: UnlinkedLife): UnlinkedLife {
    this.platform.pairing.lifeMs = lifeMs;
    return { lifeMs };
  }
}
