import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import { PageQuery } from '../../page.js';

/**
 * States of a call that a person decides on: `WAITING`; `CALLING` was approved, and it is not known yet what becomes of it; `CALLED`; `REFUSED`.
 * A call that waits is forgotten when its day is over.
 */
export const TOOL_CALL_STATES = ['WAITING', 'CALLING', 'CALLED', 'REFUSED'] as const;
/** Value of `TOOL_CALL_STATES`. */
export type ToolCallState = (typeof TOOL_CALL_STATES)[number];
/** States in which a call is listed, and those of one that was approved. */
export const LISTED_CALL_STATES = ['WAITING', 'CALLING'] as const satisfies readonly ToolCallState[];
export const APPROVED_CALL_STATES = ['CALLING', 'CALLED'] as const satisfies readonly ToolCallState[];

/** Query of `GET /v1/tool-calls`. */
export class ListToolCallsQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only calls of this session.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}

/** Call of a tool that waits for a person to approve it. */
export class WaitingCallView {
  @ApiProperty({
    description: 'Id of the call: the tool gets it as `callId` and as `Idempotency-Key`.',
    format: 'uuid',
  })
  id: string;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'Conversation.', format: 'uuid' })
  conversationId: string;

  @ApiProperty({
    description: 'Address of the contact, or of the group.',
    example: '4915112345678@s.whatsapp.net',
  })
  contact: string;

  @ApiProperty({ description: 'Turn in which the model wants it.', format: 'uuid' })
  turnId: string;

  @ApiProperty({ description: 'Name of the tool.', example: 'refund_order' })
  tool: string;

  @ApiProperty({
    description:
      'Arguments that the model made of what the contact wrote; they are right by the schema of the tool.',
    type: 'object',
    additionalProperties: true,
    example: { number: '4711' },
  })
  arguments: Record<string, unknown>;

  @ApiProperty({
    description:
      'WAITING: nobody has decided. CALLING: it was approved, and what became of it is not known yet; where that stays so, the call was cut off: approve it again.',
    enum: LISTED_CALL_STATES,
    example: 'WAITING',
  })
  state: (typeof LISTED_CALL_STATES)[number];

  @ApiProperty({
    description: 'When the model wanted it (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  createdAt: string;

  @ApiProperty({
    description: 'When it is forgotten if nobody decides (ISO 8601, UTC).',
    example: '2026-02-01T12:00:00.000Z',
  })
  expiresAt: string;
}

/** Answer of a route that approves a call. */
export class ApprovedCall {
  @ApiProperty({ description: 'Id of the call.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({
    description:
      'CALLED: the tool was called. CALLING: it is being called at this moment, as somebody else has approved.',
    enum: APPROVED_CALL_STATES,
    example: 'CALLED',
  })
  @IsIn(APPROVED_CALL_STATES)
  state: (typeof APPROVED_CALL_STATES)[number];

  @ApiProperty({
    description:
      'What became of it. DONE: the tool has answered. Otherwise what failed, as HTTP_500 or TIMEOUT; null: it is not known yet.',
    type: String,
    nullable: true,
    example: 'DONE',
  })
  @IsOptional()
  @IsString()
  outcome: string | null;
}
