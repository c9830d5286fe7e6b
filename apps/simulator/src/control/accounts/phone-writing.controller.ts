import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { phoneAddress } from '@svc/contracts';
import type { SendOptions } from '../../inbound/inbound.js';
import type { Person } from '../../people/person.js';
import { Platform } from '../../platform.js';
import { Refusal } from '../../http/refusal.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { accountOf } from '../lookups.js';
import { WriteMessage, WrittenMessage } from '../messages/message-bodies.js';
import { PhonePipe } from '../../http/phone.js';
import { ErrorBody } from '../../http/refusals.js';
import { messageOfBody } from '../messages/message-of-body.js';

class WriteOnPhone extends WriteMessage {
  @ApiPropertyOptional({
    description: 'Id of a message that was sent already: it only comes back to the devices under this id.',
    example: '3EB0C431C26A1916E07A',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  echoOf?: string;
}

/** Controller of the actions of an account's owner on the phone itself. */
@ApiTags('accounts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts/:phone')
export class PhoneWritingController {
  constructor(private readonly platform: Platform) {}

  @Post('messages')
  @ApiOperation({ summary: 'Writes to somebody on the phone of the account; its linked devices get a copy' })
  @ApiParam({ name: 'phone', description: 'Phone of the account.', example: '4915550001000' })
  @ApiResponse({ status: 201, type: WrittenMessage, description: 'On its way.' })
  async write(@Param('phone', PhonePipe) phone: string, @Body() body: WriteOnPhone): Promise<WrittenMessage> {
    const { phoneWriting, media, population } = this.platform;
    const owner = accountOf(this.platform, phone);
    const contact = this.contactOf(body);
    const chat = phoneAddress(contact.phone);
    const message = messageOfBody(body, media, { person: owner, chat, people: population });
    const { addressing, flaws, echoOf } = body;
    const { undecryptable = 0, copies = 1 } = flaws ?? {};
    const options: SendOptions = { addressing, flaws: { undecryptable, copies } };
    if (echoOf === undefined) return { id: await phoneWriting.send(owner, contact, message, options) };
    await phoneWriting.copy(owner, contact, { id: echoOf, message }, options);
    return { id: echoOf };
  }

  private contactOf({ to, group }: WriteOnPhone): Person {
    if (to !== undefined && group === undefined) return this.platform.population.ensureContact(to);
    const words = 'to must be given, and no group: into one the account writes as any of its members';
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { to: [words] } });
  }
}
