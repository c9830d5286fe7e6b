import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  AccountList,
  AccountView,
  CreateAccount,
  Disconnect,
  DisconnectCount,
  LinkedDevice,
  ScanQr,
  TypeCode,
  UnlinkCount,
} from './account-bodies.js';
import { AccountsService } from './accounts.service.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };

@ApiTags('accounts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Post()
  @ApiOperation({ summary: 'Makes an account, or changes its name' })
  @ApiResponse({ status: 201, type: AccountView, description: 'The account.' })
  create(@Body() body: CreateAccount): AccountView {
    return this.accounts.create(body);
  }

  @Get()
  @ApiOperation({ summary: 'Lists the accounts' })
  @ApiResponse({ status: 200, type: AccountList, description: 'All accounts.' })
  list(): AccountList {
    return { items: this.accounts.list() };
  }

  @Get(':phone')
  @ApiOperation({ summary: 'Shows an account with its linked devices' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: AccountView, description: 'The account.' })
  get(@Param('phone', PhonePipe) phone: string): AccountView {
    return this.accounts.get(phone);
  }

  @Post(':phone/scan')
  @HttpCode(200)
  @ApiOperation({ summary: 'Scans a QR code with the phone: links the device that shows it' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: LinkedDevice, description: 'The device is linked.' })
  scan(@Param('phone', PhonePipe) phone: string, @Body() body: ScanQr): Promise<LinkedDevice> {
    return this.accounts.scan(phone, body.qr);
  }

  @Post(':phone/code')
  @HttpCode(200)
  @ApiOperation({ summary: 'Types the linking code that a device shows into the phone' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: LinkedDevice, description: 'The device is linked.' })
  @ApiResponse({ status: 404, type: ErrorBody, description: 'CODE_NOT_REQUESTED: no device shows a code.' })
  @ApiResponse({
    status: 422,
    type: ErrorBody,
    description: 'CODE_WRONG: typed wrongly; it can be repeated.',
  })
  typeCode(@Param('phone', PhonePipe) phone: string, @Body() body: TypeCode): Promise<LinkedDevice> {
    return this.accounts.typeCode(phone, body.code);
  }

  @Post(':phone/disconnect')
  @HttpCode(200)
  @ApiOperation({ summary: 'Ends the connections of all linked devices' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: DisconnectCount, description: 'Done.' })
  disconnect(@Param('phone', PhonePipe) phone: string, @Body() body: Disconnect): DisconnectCount {
    return { disconnected: this.accounts.disconnect(phone, body) };
  }

  @Post(':phone/unlink')
  @HttpCode(200)
  @ApiOperation({ summary: 'Removes all linked devices, as a person does on the phone' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: UnlinkCount, description: 'Done.' })
  unlink(@Param('phone', PhonePipe) phone: string): UnlinkCount {
    return { unlinked: this.accounts.unlink(phone) };
  }
}
