import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Person } from '../../people/person.js';
import { notifyNewChats, notifyTimelock } from '../../people/restriction-notices.js';
import { newChatsOf, type Restrictions, timelockOf } from '../../people/restrictions.js';
import { Platform } from '../../platform.js';
import { accountOf } from '../lookups.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';
import { RestrictionsChange, RestrictionsView } from './restriction-bodies.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };
const RESTRICTIONS = {
  status: 200,
  type: RestrictionsView,
  description: 'The restrictions as they are now.',
};
const DEFAULT_TYPE = 'BIZ_QUALITY';

@ApiTags('accounts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts/:phone/restrictions')
export class RestrictionsController {
  constructor(private readonly platform: Platform) {}

  @Get()
  @ApiOperation({ summary: 'Shows what keeps an account from beginning new chats' })
  @ApiParam(PHONE)
  @ApiResponse(RESTRICTIONS)
  get(@Param('phone', PhonePipe) phone: string): RestrictionsView {
    return view(accountOf(this.platform, phone));
  }

  @Put()
  @ApiOperation({
    summary:
      'Keeps an account from beginning new chats (error 463) and tells its devices; what is not given stays',
  })
  @ApiParam(PHONE)
  @ApiResponse(RESTRICTIONS)
  change(@Param('phone', PhonePipe) phone: string, @Body() body: RestrictionsChange): RestrictionsView {
    const { timelock, newChats } = body;
    return this.apply(accountOf(this.platform, phone), {
      ...(timelock === undefined
        ? {}
        : { timelock: timelock && { type: timelock.type ?? DEFAULT_TYPE, until: timelock.until ?? null } }),
      ...(newChats === undefined
        ? {}
        : { newChats: newChats && { used: 0, ...newChats, cycleEnd: newChats.cycleEnd ?? null } }),
    });
  }

  @Delete()
  @ApiOperation({ summary: 'Lifts all restrictions of an account and tells its devices' })
  @ApiParam(PHONE)
  @ApiResponse(RESTRICTIONS)
  lift(@Param('phone', PhonePipe) phone: string): RestrictionsView {
    return this.apply(accountOf(this.platform, phone), { timelock: null, newChats: null });
  }

  private apply(person: Person, change: Partial<Restrictions>): RestrictionsView {
    Object.assign(person.restrictions, change);
    this.platform.population.touch(person);
    if (change.timelock !== undefined) notifyTimelock(person);
    if (change.newChats !== undefined) notifyNewChats(person);
    return view(person);
  }
}

function view({ restrictions }: Person): RestrictionsView {
  return { timelock: timelockOf(restrictions) ?? null, newChats: newChatsOf(restrictions) ?? null };
}
