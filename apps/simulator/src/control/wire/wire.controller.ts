import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';
import { KeepPreKeys, PreKeysLeft, FrameCount, RawStanza, Rubbish } from './wire-bodies.js';
import { WireService } from './wire.service.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };

@ApiTags('wire')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts/:phone')
export class WireController {
  constructor(private readonly wire: WireService) {}

  @Post('frames')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sends a frame that cannot be read to all connected devices' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: FrameCount, description: 'Done.' })
  rubbish(@Param('phone', PhonePipe) phone: string, @Body() body: Rubbish): FrameCount {
    return { sent: this.wire.rubbish(phone, body.kind) };
  }

  @Post('stanzas')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sends any stanza to all connected devices, whatever it says; once, unless it is to be kept',
  })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: FrameCount, description: 'Done.' })
  stanza(@Param('phone', PhonePipe) phone: string, @Body() body: RawStanza): FrameCount {
    return { sent: this.wire.stanza(phone, body.stanza, body.keep) };
  }

  @Get('pre-keys')
  @ApiOperation({ summary: 'How many one-time keys the devices have left with the platform' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: PreKeysLeft, description: 'The numbers.' })
  preKeys(@Param('phone', PhonePipe) phone: string): PreKeysLeft {
    return { left: this.wire.preKeys(phone) };
  }

  @Put('pre-keys')
  @ApiOperation({ summary: 'Uses up one-time keys, as many newcomers would' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: PreKeysLeft, description: 'The numbers.' })
  keep(@Param('phone', PhonePipe) phone: string, @Body() body: KeepPreKeys): PreKeysLeft {
    return { left: this.wire.keepPreKeys(phone, body.left) };
  }
}
