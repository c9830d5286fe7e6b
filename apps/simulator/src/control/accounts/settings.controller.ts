import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import {
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ArrayMinSize, IsArray, IsIn, IsInt, IsObject, IsString, Min } from 'class-validator';
import {
  changeSetting,
  type CollectionName,
  COLLECTIONS,
  readSettings,
} from '../../queries/phone-settings.js';
import { Platform } from '../../platform.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { accountOf } from '../lookups.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const PHONE = { name: 'phone', description: 'Phone of the account.', example: '4915550001000' };
const DEFAULT_VERSION = 1;

export class SettingBody {
  @ApiProperty({
    description: 'Collection that it belongs to.',
    enum: COLLECTIONS,
    example: 'critical_block',
  })
  @IsIn(COLLECTIONS)
  collection: CollectionName;

  @ApiProperty({ description: 'What it is about.', example: ['setting_pushName'], type: [String] })
  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  index: string[];

  @ApiProperty({
    description: "What it is set to, as JSON of the platform's protobuf.",
    example: { pushNameSetting: { name: 'Shop' } },
    type: Object,
  })
  @IsObject()
  value: Record<string, unknown>;
}

export class ChangeSetting extends SettingBody {
  @ApiPropertyOptional({ description: 'Version of its form.', example: 1, default: DEFAULT_VERSION })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  apiVersion?: number;
}

export class ChangedCollection {
  @ApiProperty({ description: 'Version of the collection from now on.', example: 3 })
  version: number;
}

export class SettingList {
  @ApiProperty({ description: 'Everything that is set.', type: [SettingBody] })
  items: SettingBody[];
}

@ApiTags('accounts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts/:phone/settings')
export class SettingsController {
  constructor(private readonly platform: Platform) {}

  @Get()
  @ApiOperation({
    summary: 'What phone and devices have set: names of contacts, archived chats, the own name …',
  })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: SettingList, description: 'The settings.' })
  async list(@Param('phone', PhonePipe) phone: string): Promise<SettingList> {
    const settings = await readSettings(accountOf(this.platform, phone));
    return { items: settings as SettingBody[] };
  }

  @Put()
  @ApiOperation({ summary: 'Changes a setting on the phone; the devices fetch it' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: ChangedCollection, description: 'It is set.' })
  async change(
    @Param('phone', PhonePipe) phone: string,
    @Body() body: ChangeSetting,
  ): Promise<ChangedCollection> {
    const account = accountOf(this.platform, phone);
    const { apiVersion = DEFAULT_VERSION, ...setting } = body;
    const version = await changeSetting(account, setting, apiVersion);
    this.platform.population.touch(account);
    return { version };
  }
}
