import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { field } from './field.js';

/** The name of a location, or the question of a poll. */
export const NAME = field<string>(
  ApiPropertyOptional({
    type: String,
    description: 'Name of the place, or question of the poll.',
    example: 'Main station',
  }),
  IsOptional(),
  IsString(),
);
