import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../delivery/calls.js';
import { PhonePipe } from '../../http/phone.js';
import { Refusal } from '../../http/refusal.js';
import { ErrorBody } from '../../http/refusals.js';
import { Platform } from '../../platform.js';
import { CallView, EndCall, PlaceCall } from './call-bodies.js';
import { placeCall } from './place-call.js';

const PHONE = { name: 'phone', description: 'Phone of the contact.', example: '4915550002000' };
const ID = { name: 'id', description: 'Id of the call.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' };

/** Controller of the calls of a contact. */
@ApiTags('contacts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('contacts/:phone/calls')
export class CallsController {
  constructor(private readonly platform: Platform) {}

  @Post()
  @ApiOperation({ summary: 'Calls an account; its linked devices ring' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 201, type: CallView, description: 'It rings.' })
  place(@Param('phone', PhonePipe) phone: string, @Body() body: PlaceCall): CallView {
    return viewOf(placeCall(this.platform, phone, body));
  }

  @Post(':id/end')
  @ApiOperation({ summary: 'Ends a call in one way or another; the linked devices are told' })
  @ApiParam(PHONE)
  @ApiParam(ID)
  @ApiResponse({ status: 201, type: CallView, description: 'It has ended.' })
  end(@Param('id') id: string, @Body() { how }: EndCall): CallView {
    const call = this.callOf(id);
    this.platform.calls.end(call, how);
    return viewOf(call);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Says what became of a call' })
  @ApiParam(PHONE)
  @ApiParam(ID)
  @ApiResponse({ status: 200, type: CallView, description: 'The call.' })
  get(@Param('id') id: string): CallView {
    return viewOf(this.callOf(id));
  }

  private callOf(id: string): Call {
    const call = this.platform.calls.get(id);
    if (call) return call;
    throw new Refusal(404, 'CALL_NOT_FOUND', `there is no call ${id}`);
  }
}

const viewOf = ({ id, state }: Call): CallView => ({ id, state });
