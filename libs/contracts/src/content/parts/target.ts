import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsDefined, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { field } from './field.js';

/** Id in the examples of the public description. */
export const MESSAGE_ID = '0198c0de-0000-7000-8000-0000000000c1';

/** Names the message that a request is about. */
export class MessageRef {
  @ApiProperty({
    description: 'Id of a message in the same chat: a job id, or the messageId of an event.',
    format: 'uuid',
    example: MESSAGE_ID,
  })
  @IsUUID()
  messageId: string;
}

/** An earlier message, in the words of the platform. */
export class MessageTarget {
  @IsString() keyId: string;
  /** The session's own number wrote the message. */
  @IsBoolean() fromMe: boolean;
  /** Author of the message, in a group. */
  @IsOptional() @IsString() participant?: string;
}

/** Message that a reaction, an edit or a deletion is about. */
export const TARGET = field<MessageTarget>(
  IsDefined(),
  ValidateNested(),
  Type(() => MessageTarget),
);
