import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsOptional, Matches } from 'class-validator';

/** A moment as callers write it: date, time and zone, so that nobody has to guess. */
const INSTANT = /^2\d{3}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** A moment that a caller may give, such as the bound of a list, described in words that "(ISO 8601 with a zone)." follows. */
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
      IsISO8601({ strict: true }),
    ];
    for (const decorate of decorators) decorate(target, property);
  };
}
