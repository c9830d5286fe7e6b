import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsISO8601, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const MOST_CHATS = 1_000_000;
const TIMELOCK = { type: 'BIZ_QUALITY', until: '2026-01-06T09:30:00.000Z' };
const NEW_CHATS = { quota: 10, used: 10, cycleEnd: '2026-02-01T00:00:00.000Z' };

export class TimelockBody {
  @ApiPropertyOptional({
    description: "What the account is restricted for, in the platform's words.",
    example: 'BIZ_QUALITY',
    default: 'BIZ_QUALITY',
  })
  @MayBeAbsent()
  @Matches(/^[A-Z_]{1,64}$/, { message: 'type must be capital letters and _' })
  type?: string;

  @ApiPropertyOptional({
    description: 'When it ends by itself; null: the platform gives no end.',
    example: '2026-01-06T09:30:00.000Z',
    type: String,
    nullable: true,
  })
  @IsOptional()
  @IsISO8601()
  until?: string | null;
}

export class NewChatsBody {
  @ApiProperty({ description: 'New chats that the account may begin in a cycle.', example: 10 })
  @IsInt()
  @Min(0)
  @Max(MOST_CHATS)
  quota: number;

  @ApiPropertyOptional({ description: 'How many it has begun.', example: 10, default: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_CHATS)
  used?: number;

  @ApiPropertyOptional({
    description: 'When the next cycle begins; null: the platform does not say.',
    example: '2026-02-01T00:00:00.000Z',
    type: String,
    nullable: true,
  })
  @IsOptional()
  @IsISO8601()
  cycleEnd?: string | null;
}

/** Request for the restrictions of an account. */
export class RestrictionsChange {
  @ApiPropertyOptional({
    description: 'A restriction of the account; null: none.',
    type: TimelockBody,
    example: TIMELOCK,
    nullable: true,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => TimelockBody)
  timelock?: TimelockBody | null;

  @ApiPropertyOptional({
    description: 'A cap on new chats; null: none.',
    type: NewChatsBody,
    example: NEW_CHATS,
    nullable: true,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => NewChatsBody)
  newChats?: NewChatsBody | null;
}

export class RestrictionsView {
  @ApiProperty({
    description: 'The restriction, if there is one.',
    type: TimelockBody,
    example: TIMELOCK,
    nullable: true,
  })
  timelock: TimelockBody | null;

  @ApiProperty({
    description: 'The cap on new chats, if there is one.',
    type: NewChatsBody,
    example: NEW_CHATS,
    nullable: true,
  })
  newChats: NewChatsBody | null;
}
