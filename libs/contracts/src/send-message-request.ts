import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, IsString, IsUUID, Length, Matches, MaxLength } from 'class-validator';

/** In the spelling that JSON Schema and JavaScript share. */
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Body of `POST /v1/messages` (specification, "Outbound message request"). */
export class SendMessageRequest {
  @ApiProperty({
    description: 'Session to send from.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Recipient: a phone number in any usual international notation, or a full platform address.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  to: string;

  @ApiProperty({
    description: 'Text to send, up to 65,536 characters.',
    example: 'Your order is ready.',
    minLength: 1,
    maxLength: 65_536,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(65_536)
  text: string;

  @ApiPropertyOptional({
    description:
      'Idempotency key: repeating it returns the first job and sends nothing again. Any string of 1 to 128 characters without control characters.',
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
}
