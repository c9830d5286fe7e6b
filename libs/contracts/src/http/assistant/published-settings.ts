import { ApiProperty } from '@nestjs/swagger';
import { AssistantSettings } from './settings.js';

/** Settings that were published, under their number. */
export class PublishedSettings {
  @ApiProperty({ description: 'Number of the version, from 1 on.', type: 'integer', example: 3, minimum: 1 })
  version: number;

  @ApiProperty({ description: 'The settings.', type: AssistantSettings })
  settings: AssistantSettings;

  @ApiProperty({
    description: 'Names of the fields that have their default.',
    type: [String],
    example: ['debounceMs', 'maxWaitMs'],
  })
  defaults: string[];

  @ApiProperty({
    description: 'When it was published first (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  publishedAt: string;
}
