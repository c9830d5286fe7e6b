import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';

/** Longest time, in minutes, after which a session fails over: a day. */
const MOST_MINUTES = 1_440;

/** The wish of a tenant that a session fails over while its own bot is away. */
export class Failover {
  @ApiProperty({
    description:
      'Minutes for which the endpoint has been paused, or has answered nothing with 2xx while there was something to deliver.',
    type: 'integer',
    minimum: 1,
    maximum: MOST_MINUTES,
    example: 5,
  })
  @IsInt()
  @Min(1)
  @Max(MOST_MINUTES)
  afterMinutes: number;
}
