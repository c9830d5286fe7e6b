import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, ValidateNested } from 'class-validator';
import { FollowedBy } from './parts/field.js';
import { BODY_FIELDS, type BodyProperties, MESSAGE_BODY_TYPES, type MessageBodyType } from './registry.js';

const AnyKind = class {} as new () => BodyProperties;

/**
 * Content of a message as it is shown: a union discriminated by `type`, flattened into one class so that one validator and
 * one type of TypeScript serve it. `MESSAGE_BODY_FIELDS` says which fields belong to which kind; the OpenAPI description has a schema for each.
 */
export class MessageBody extends AnyKind {
  @FollowedBy(BODY_FIELDS)
  @ApiProperty({
    description: 'Kind of content; check it before any other field.',
    enum: MESSAGE_BODY_TYPES,
    example: 'text',
  })
  @IsIn(MESSAGE_BODY_TYPES)
  type: MessageBodyType;

  @ApiPropertyOptional({
    description: 'What is inside.',
    allOf: [{ $ref: getSchemaPath('MessageBody') }],
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageBody)
  override inner?: MessageBody;
}
