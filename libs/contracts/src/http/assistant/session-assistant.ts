import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsObject, Max, Min, ValidateNested } from 'class-validator';
import { EvalsRun } from './evals.js';
import { MayBeAbsent } from '../may-be-absent.js';
import { PublishedSettings } from './published-settings.js';
import { AssistantSettings } from './settings.js';

/** Largest number that a row can have. */
const LARGEST = 2_147_483_647;
const REVISION =
  'Only where the draft is at this revision, else `ASSISTANT_CONFLICT`; left out: in any case.';

/** Body of `PUT /v1/sessions/:id/assistant`: the draft as a whole. */
export class PutSessionAssistantBody {
  @ApiProperty({ description: 'The draft: what is left out has its default.', type: AssistantSettings })
  @IsObject()
  @ValidateNested()
  @Type(() => AssistantSettings)
  settings: AssistantSettings;

  @ApiPropertyOptional({ description: REVISION, type: 'integer', example: 2, minimum: 0, maximum: LARGEST })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LARGEST)
  ifRevision?: number;
}

/** Body of `POST /v1/sessions/:id/assistant/publish`. */
export class PublishAssistantBody {
  @ApiPropertyOptional({
    description: 'Version that shall hold again; left out: the draft becomes a version.',
    type: 'integer',
    example: 1,
    minimum: 1,
    maximum: LARGEST,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(LARGEST)
  version?: number;

  @ApiPropertyOptional({ description: REVISION, type: 'integer', example: 2, minimum: 0, maximum: LARGEST })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LARGEST)
  ifRevision?: number;
}

/** Settings of the assistant of a session: what is being written, and what holds. */
export class SessionAssistant {
  @ApiProperty({ description: 'The draft, as it would hold if it were published.', type: AssistantSettings })
  draft: AssistantSettings;

  @ApiProperty({
    description: 'Names of the fields of the draft that have their default.',
    type: [String],
    example: ['debounceMs', 'maxWaitMs'],
  })
  draftDefaults: string[];

  @ApiProperty({
    description: 'Number of changes of the draft; 0: there was none.',
    type: 'integer',
    example: 2,
    minimum: 0,
  })
  revision: number;

  @ApiProperty({
    description: 'The version that holds; null: none was published, and nobody is answered.',
    type: PublishedSettings,
    nullable: true,
  })
  published: PublishedSettings | null;

  @ApiProperty({
    description: 'Whether a draft is published only after a run of evals in which every conversation held.',
    example: false,
  })
  evalsDemanded: boolean;

  @ApiProperty({
    description:
      'The last run of evals that was told, of the draft or of an earlier revision; null: none was.',
    type: EvalsRun,
    nullable: true,
  })
  evals: EvalsRun | null;
}
