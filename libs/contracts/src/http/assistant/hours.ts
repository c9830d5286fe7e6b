import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsString,
  IsTimeZone,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';

/** Days of the week, in order. */
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
/** Value of `WEEKDAYS`. */
export type Weekday = (typeof WEEKDAYS)[number];

const TIME = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;
const TIME_RULE = { message: '$property must be a time from 00:00 to 24:00, as 09:30' };

/** Time of a weekday during which a business is open. */
export class OpenTime {
  @ApiProperty({ description: 'Day of the week.', enum: WEEKDAYS, example: 'MON' })
  @IsIn(WEEKDAYS)
  day: Weekday;

  @ApiProperty({ description: 'When it opens, by its own clock.', example: '09:00', pattern: TIME.source })
  @IsString()
  @Matches(TIME, TIME_RULE)
  from: string;

  @ApiProperty({
    description:
      'When it closes. Not after `from`: on the next day, so that 22:00 to 02:00 is four hours, and 00:00 to 00:00 a whole day.',
    example: '18:00',
    pattern: TIME.source,
  })
  @IsString()
  @Matches(TIME, TIME_RULE)
  to: string;
}

/** Hours of a business. */
export class BusinessHours {
  @ApiProperty({
    description: 'Time zone of the business, by its name in the IANA database.',
    example: 'Europe/Berlin',
    maxLength: 64,
  })
  @IsString()
  @MaxLength(64)
  @IsTimeZone()
  timezone: string;

  @ApiProperty({
    description: 'When it is open; outside of these times it is closed.',
    type: [OpenTime],
    minItems: 1,
    maxItems: 28,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(28)
  @ValidateNested({ each: true })
  @Type(() => OpenTime)
  open: OpenTime[];
}
