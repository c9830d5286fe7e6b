import { ApiProperty } from '@nestjs/swagger';
import { TokenUsage } from '../../requests/billing/usage.js';

/** What was used, of a day or of a session. */
class Used {
  @ApiProperty({
    description: 'Messages accepted, less those that came back.',
    type: 'integer',
    example: 120,
  })
  messages: number;

  @ApiProperty({ description: 'Calls of a language model.', type: 'integer', example: 48 })
  llmCalls: number;

  @ApiProperty({ description: 'Tokens of these calls.', type: 'integer', example: 96_000 })
  tokens: number;
}

/** What was used on one day. */
export class DayUsed extends Used {
  @ApiProperty({ description: 'The day in UTC.', format: 'date', example: '2026-01-31' })
  day: string;
}

/** What one session used. */
export class SessionUsed extends Used {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  sessionId: string;
}

/** Answer of `GET /v1/usage`. */
export class MonthUsage {
  @ApiProperty({ description: 'The month in UTC.', example: '2026-01' })
  month: string;

  @ApiProperty({ description: 'Its first moment (ISO 8601, UTC).', example: '2026-01-01T00:00:00.000Z' })
  from: string;

  @ApiProperty({ description: 'The first moment after it.', example: '2026-02-01T00:00:00.000Z' })
  to: string;

  @ApiProperty({ description: 'Messages of the month.', type: 'integer', example: 3_600 })
  messages: number;

  @ApiProperty({ description: 'Calls of a language model.', type: 'integer', example: 1_440 })
  llmCalls: number;

  @ApiProperty({ description: 'Tokens, and what they cost so far.', type: TokenUsage })
  tokens: TokenUsage;

  @ApiProperty({ description: 'Days on which anything was used, in their order.', type: [DayUsed] })
  days: DayUsed[];

  @ApiProperty({
    description: 'Sessions that used anything, the one with the most messages first; deleted ones too.',
    type: [SessionUsed],
  })
  sessions: SessionUsed[];
}
