import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, Length } from 'class-validator';
import type { Group } from '../../people/groups.js';
import { Platform } from '../../platform.js';
import { ArePhones } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const MEMBERS = 'Phones of the members, accounts and contacts; the first one has made the group.';

export class CreateGroup {
  @ApiProperty({ description: 'Name of the group.', example: 'Neighbours' })
  @IsString()
  @Length(1, 100)
  subject: string;

  @ApiProperty({ description: MEMBERS, example: ['4915550002000', '4915550001000'], type: [String] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @ArePhones()
  members: string[];
}

export class GroupView {
  @ApiProperty({ description: 'Address of the group.', example: '120363000000000001@g.us' })
  jid: string;

  @ApiProperty({ description: 'Name of the group.', example: 'Neighbours' })
  subject: string;

  @ApiProperty({ description: MEMBERS, example: ['4915550002000', '4915550001000'], type: [String] })
  members: string[];
}

export class GroupList {
  @ApiProperty({ description: 'All groups.', type: [GroupView] })
  items: GroupView[];
}

@ApiTags('groups')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('groups')
export class GroupsController {
  constructor(private readonly platform: Platform) {}

  @Post()
  @ApiOperation({ summary: 'Makes a group; a contact writes to it with `group` in place of `to`' })
  @ApiResponse({ status: 201, type: GroupView, description: 'The group.' })
  create(@Body() { subject, members }: CreateGroup): GroupView {
    const people = members.map((phone) => this.platform.population.ensure(phone));
    return toView(this.platform.groups.create(subject, people));
  }

  @Get()
  @ApiOperation({ summary: 'Lists the groups' })
  @ApiResponse({ status: 200, type: GroupList, description: 'All groups.' })
  list(): GroupList {
    return { items: this.platform.groups.all().map(toView) };
  }
}

const toView = ({ jid, subject, members }: Group): GroupView => ({
  jid,
  subject,
  members: members.map(({ phone }) => phone),
});
