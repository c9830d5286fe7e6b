import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { SharedFaultsChange, SharedFaultsView } from './shared-fault-bodies.js';
import { FaultsChange, FaultsView } from './fault-bodies.js';
import { FaultsService } from './faults.service.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };
const ACCOUNT_FAULTS = { status: 200, type: FaultsView, description: 'The faults as they are now.' };
const SHARED_FAULTS = { status: 200, type: SharedFaultsView, description: 'The faults as they are now.' };

@ApiTags('faults')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller()
export class FaultsController {
  constructor(private readonly faults: FaultsService) {}

  @Get('accounts/:phone/faults')
  @ApiOperation({ summary: 'Shows how the platform misbehaves towards an account' })
  @ApiParam(PHONE)
  @ApiResponse(ACCOUNT_FAULTS)
  get(@Param('phone', PhonePipe) phone: string): FaultsView {
    return this.faults.get(phone);
  }

  @Put('accounts/:phone/faults')
  @ApiOperation({ summary: 'Makes the platform misbehave towards an account; what is not given stays' })
  @ApiParam(PHONE)
  @ApiResponse(ACCOUNT_FAULTS)
  change(@Param('phone', PhonePipe) phone: string, @Body() body: FaultsChange): FaultsView {
    return this.faults.change(phone, body);
  }

  @Delete('accounts/:phone/faults')
  @ApiOperation({ summary: 'Makes the platform behave towards an account again' })
  @ApiParam(PHONE)
  @ApiResponse(ACCOUNT_FAULTS)
  clear(@Param('phone', PhonePipe) phone: string): FaultsView {
    return this.faults.clear(phone);
  }

  @Get('faults')
  @ApiOperation({ summary: 'Shows how the platform misbehaves towards everybody' })
  @ApiResponse(SHARED_FAULTS)
  getShared(): SharedFaultsView {
    return this.faults.getShared();
  }

  @Put('faults')
  @ApiOperation({ summary: 'Makes the platform misbehave towards everybody; what is not given stays' })
  @ApiResponse(SHARED_FAULTS)
  changeShared(@Body() body: SharedFaultsChange): Promise<SharedFaultsView> {
    return this.faults.changeShared(body);
  }

  @Delete('faults')
  @ApiOperation({
    summary: 'Makes the platform behave towards everybody again; faults of single accounts stay',
  })
  @ApiResponse(SHARED_FAULTS)
  clearShared(): Promise<SharedFaultsView> {
    return this.faults.clearShared();
  }
}
