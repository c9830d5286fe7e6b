import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
} from 'class-validator';
import { FollowedBy } from '../../content/parts/field.js';
import { MESSAGE_ID } from '../../content/parts/target.js';
import { REQUEST_FIELDS, type RequestProperties } from '../../content/registry.js';
import { NO_CONTROL_CHARACTERS } from '../../patterns.js';
import { SendOptions } from './send-options.js';

/** Body of `POST /v1/messages` (specification, "Outbound message request"). */
export class SendMessageRequest extends (SendOptions as new () => SendOptions & RequestProperties) {
  @ApiProperty({
    description: 'Session to send from.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsUUID()
  sessionId: string;

  @FollowedBy(REQUEST_FIELDS)
  @ApiProperty({
    description:
      'Recipient: a phone number in any usual international notation, or a full platform address, also of a group.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  to: string;

  @ApiPropertyOptional({
    description:
      'Message of the same chat that this one answers: a job id, or the messageId of an event. Not with reaction, edit or delete.',
    format: 'uuid',
    example: MESSAGE_ID,
  })
  @IsOptional()
  @IsUUID()
  replyTo?: string;

  @ApiPropertyOptional({
    description:
      'People named in the text, by phone number or address; the text says @ and their digits where they are named. With text or edit only.',
    type: [String],
    maxItems: 100,
    example: ['+49 151 12345678'],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  mentions?: string[];

  @ApiPropertyOptional({
    description:
      'Idempotency key, one of your whole tenant, whatever session, recipient and content are: repeating it answers 200 with the first job and sends nothing again. So it names one message (`order-4711-ready`), and no kind of message (`welcome`): to a second person that would not go out, and the answer has `repeated` and `differs`. Any string of 1 to 128 characters without control characters.',
    example: 'order-4711-ready',
    minLength: 1,
    maxLength: 128,
    pattern: NO_CONTROL_CHARACTERS,
  })
  @IsOptional()
  @IsString()
  @Length(1, 128)
  @Matches(new RegExp(NO_CONTROL_CHARACTERS, 'u'), {
    message: 'clientMessageId must not contain control characters',
  })
  clientMessageId?: string;

  @ApiPropertyOptional({
    description:
      'true: says whether this would be sent, and if not, why and until when; nothing is sent or counted.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  dryRun?: boolean;
}
