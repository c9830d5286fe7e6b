import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BehaviourChange, ContactList, ContactView, CreateContact } from './contact-bodies.js';
import { ContactsService } from './contacts.service.js';
import {
  FromAccount,
  MaybeToAccount,
  PlayedCount,
  ReadCount,
  ReceivedList,
  ReceivedQuery,
  SentList,
  WriteMessage,
  WrittenMessage,
} from '../messages/message-bodies.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';

const PHONE = { name: 'phone', description: 'Phone of the contact.', example: '4915550002000' };

@ApiTags('contacts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('contacts')
export class ContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Post()
  @ApiOperation({ summary: 'Makes a contact, or changes its name, registration or aliases' })
  @ApiResponse({ status: 201, type: ContactView, description: 'The contact.' })
  create(@Body() body: CreateContact): ContactView {
    return this.contacts.create(body);
  }

  @Get()
  @ApiOperation({ summary: 'Lists the contacts' })
  @ApiResponse({ status: 200, type: ContactList, description: 'All contacts.' })
  list(): ContactList {
    return { items: this.contacts.list() };
  }

  @Get(':phone')
  @ApiOperation({ summary: 'Shows a contact' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: ContactView, description: 'The contact.' })
  get(@Param('phone', PhonePipe) phone: string): ContactView {
    return this.contacts.get(phone);
  }

  @Put(':phone/behaviour')
  @ApiOperation({ summary: 'Changes what a contact does on its own; what is not given stays' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: ContactView, description: 'The contact.' })
  changeBehaviour(@Param('phone', PhonePipe) phone: string, @Body() body: BehaviourChange): ContactView {
    return this.contacts.changeBehaviour(phone, body);
  }

  @Post(':phone/messages')
  @ApiOperation({ summary: 'Writes to an account; waits with the platform while its devices are offline' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 201, type: WrittenMessage, description: 'On its way.' })
  async write(@Param('phone', PhonePipe) phone: string, @Body() body: WriteMessage): Promise<WrittenMessage> {
    return { id: await this.contacts.write(phone, body) };
  }

  @Post(':phone/read')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reads all that came from an account' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: ReadCount, description: 'Done.' })
  read(@Param('phone', PhonePipe) phone: string, @Body() body: FromAccount): ReadCount {
    return { read: this.contacts.read(phone, body.from) };
  }

  @Post(':phone/played')
  @HttpCode(200)
  @ApiOperation({ summary: 'Listens to all voice messages that came from an account' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: PlayedCount, description: 'Done.' })
  play(@Param('phone', PhonePipe) phone: string, @Body() body: FromAccount): PlayedCount {
    return { played: this.contacts.play(phone, body.from) };
  }

  @Get(':phone/messages')
  @ApiOperation({ summary: 'What the contact received, decrypted' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: ReceivedList, description: 'In order of arrival.' })
  received(@Param('phone', PhonePipe) phone: string, @Query() query: ReceivedQuery): ReceivedList {
    return { items: this.contacts.received(phone, query) };
  }

  @Get(':phone/messages/:id/media')
  @ApiOperation({ summary: 'The file of a message that the contact received, decrypted' })
  @ApiParam(PHONE)
  @ApiParam({ name: 'id', description: 'Id on the wire.', example: '3EB0C431C26A1916E07A' })
  @ApiResponse({ status: 200, content: { 'application/octet-stream': {} }, description: 'Its bytes.' })
  file(@Param('phone', PhonePipe) phone: string, @Param('id') id: string): StreamableFile {
    const { file, mimeType } = this.contacts.file(phone, id);
    return new StreamableFile(file, { type: mimeType, length: file.length });
  }

  @Get(':phone/sent')
  @ApiOperation({ summary: 'What the contact wrote and what became of it' })
  @ApiParam(PHONE)
  @ApiResponse({ status: 200, type: SentList, description: 'In order of writing.' })
  sent(@Param('phone', PhonePipe) phone: string, @Query() query: MaybeToAccount): SentList {
    return { items: this.contacts.sent(phone, query.to) };
  }
}
