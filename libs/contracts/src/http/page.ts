import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Reads a whole number of a query as people write one; what is none stays as it is, for the validator to name. */
export function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** Query of every list: `limit` 1 to 200 (50 by default) and the opaque cursor of the page before. */
export class PageQuery {
  @ApiPropertyOptional({
    description: 'Items per page, 1 to 200.',
    type: 'integer',
    example: 50,
    default: 50,
    minimum: 1,
    maximum: 200,
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => wholeNumber(value))
  @IsInt()
  @Min(1)
  @Max(200)
  limit?: number;

  @ApiPropertyOptional({ description: 'Cursor: nextCursor of the page before.', maxLength: 512 })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  before?: string;
}

/** A page of anything. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** A count that stops at 10,000. */
export class BoundedCount {
  @ApiProperty({
    description: 'How many, exact up to 10,000.',
    type: 'integer',
    maximum: 10_000,
    example: 17,
  })
  @IsInt()
  count: number;

  @ApiProperty({ description: 'true: there are more than that.', example: false })
  @IsBoolean()
  more: boolean;
}
