import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsUUID,
  ValidateNested,
} from 'class-validator';

/** The criteria that a number has to meet before its tier rises. */
export const WARMUP_CRITERIA = [
  'DAYS_IN_TIER',
  'USED_DAYS',
  'DELIVERED',
  'FAILED',
  'REPLIED',
  'DISCONNECTS_PER_DAY',
  'LOGOUTS',
] as const;
/** Value of `WARMUP_CRITERIA`. */
export type WarmupCriterionName = (typeof WARMUP_CRITERIA)[number];

/** A criterion that a number has to meet. */
export class WarmupCriterion {
  @ApiProperty({
    description:
      'DAYS_IN_TIER, USED_DAYS (days on which half of the cap was used), DELIVERED, REPLIED (parts of what was sent and of the contacts): at least. FAILED (part of what was sent), DISCONNECTS_PER_DAY, LOGOUTS (both unplanned): at most.',
    enum: WARMUP_CRITERIA,
    example: 'REPLIED',
  })
  @IsIn(WARMUP_CRITERIA)
  name: WarmupCriterionName;

  @ApiProperty({ description: 'Whether it is enough.', example: false })
  @IsBoolean()
  met: boolean;

  @ApiProperty({ description: 'What is wanted.', example: 0.15 })
  @IsNumber()
  required: number;

  @ApiProperty({
    description: 'What there is; a part is the lower end of what it may be with nine in ten confidence.',
    example: 0.112,
  })
  @IsNumber()
  actual: number;
}

/** Answer of `GET /v1/sessions/:id/warmup`. */
export class WarmupState {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Its tier.', type: 'integer', example: 1, minimum: 0, maximum: 4 })
  @IsInt()
  tier: number;

  @ApiProperty({
    description: 'Since when (ISO 8601, UTC); null: nothing was sent yet.',
    type: String,
    nullable: true,
    example: '2026-01-28T12:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  tierSince: string | null;

  @ApiProperty({ description: 'Whole days in it.', type: 'integer', example: 3, minimum: 0 })
  @IsInt()
  daysInTier: number;

  @ApiProperty({
    description: 'The next tier; null: it is the highest.',
    type: 'integer',
    nullable: true,
    example: 2,
  })
  @IsOptional()
  @IsInt()
  nextTier: number | null;

  @ApiProperty({
    description: 'When the tier can rise at the earliest (ISO 8601, UTC).',
    type: String,
    nullable: true,
    example: '2026-02-04T12:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  dueAt: string | null;

  @ApiProperty({
    description:
      'What the next tier asks for. When all is met, the tier rises within the hour; it never falls.',
    type: [WarmupCriterion],
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WarmupCriterion)
  criteria: WarmupCriterion[];
}
