import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsOptional, Matches } from 'class-validator';

/** A point in time as callers write it: date, time and zone. Without the zone it would be a guess. */
const INSTANT = /^2\d{3}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** This decorator describes and checks a point in time in a query or body; "(ISO 8601 with a zone)." is added to the description. */
export function TimeBound(description: string, example: string): PropertyDecorator {
  return (target, property) => {
    const message = `${String(property)} must be a time with a zone, like ${example}`;
    const decorators = [
      ApiPropertyOptional({
        description: `${description} (ISO 8601 with a zone).`,
        example,
        pattern: INSTANT.source,
      }),
      IsOptional(),
      Matches(INSTANT, { message }),
      IsISO8601({ strict: true }, { message }),
    ];
    for (const decorate of decorators) decorate(target, property);
  };
}
