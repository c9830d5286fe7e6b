import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
} from 'class-validator';
import { MayBeAbsent } from '../may-be-absent.js';

/** Kinds of sources: a text that was given, an address that is read again and again, or a file that was uploaded. */
export const KNOWLEDGE_KINDS = ['TEXT', 'ADDRESS', 'FILE'] as const;
/** Value of `KNOWLEDGE_KINDS`. */
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number];

/** States of a source: `WAITING` has not been read yet, `FAILED` could not be read the last time. */
export const KNOWLEDGE_STATES = ['READY', 'WAITING', 'FAILED'] as const;
/** Value of `KNOWLEDGE_STATES`. */
export type KnowledgeState = (typeof KNOWLEDGE_STATES)[number];

/** Most characters of one source. */
export const SOURCE_CHARACTERS_MAX = 100_000;
/** Largest file that is read as a source, in bytes. */
export const SOURCE_FILE_MAX = 10_000_000;
/** Most sources of one session. */
export const SOURCES_MAX = 100;

/** Body of `POST /v1/sessions/:id/assistant/knowledge`: a text with its title, an address, or a file. */
export class AddKnowledgeBody {
  @ApiProperty({
    description: 'Name of the source, which is searched, too.',
    example: 'Opening hours',
    minLength: 1,
    maxLength: 200,
  })
  @IsString()
  @Length(1, 200)
  title: string;

  @ApiPropertyOptional({
    description: 'What the source says. One of `text`, `url` and `mediaId` is given.',
    example: 'We are open from Monday to Friday, 7:00 to 18:00. We are closed on Sundays.',
    minLength: 1,
    maxLength: SOURCE_CHARACTERS_MAX,
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, SOURCE_CHARACTERS_MAX)
  text?: string;

  @ApiPropertyOptional({
    description:
      'Public https address of a page of HTML or plain text, 2 MB at most. It is read at once, and again by its schedule.',
    example: 'https://example.com/opening-hours',
    minLength: 1,
    maxLength: 2_048,
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 2_048)
  url?: string;

  @ApiPropertyOptional({
    description:
      'A file uploaded before with POST /v1/media: PDF, Word (docx), HTML or plain text, 10 MB at most. It is read once; the source stays when the upload is deleted.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-0000000000d1',
  })
  @MayBeAbsent()
  @IsUUID()
  mediaId?: string;

  @ApiPropertyOptional({
    description: 'Hours after which an address is read again. Left out: 24.',
    type: 'integer',
    example: 24,
    minimum: 1,
    maximum: 720,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(720)
  refreshHours?: number;
}

/** One source of what the assistant knows. */
export class KnowledgeSource {
  @ApiProperty({ description: 'Id of the source.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({
    description: 'TEXT: it was given. ADDRESS: it is read there. FILE: it was uploaded.',
    enum: KNOWLEDGE_KINDS,
    example: 'TEXT',
  })
  @IsIn(KNOWLEDGE_KINDS)
  kind: KnowledgeKind;

  @ApiProperty({ description: 'Name of the source.', example: 'Opening hours' })
  @IsString()
  title: string;

  @ApiProperty({
    description: 'Its address; null: it has none.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  url: string | null;

  @ApiProperty({
    description: 'Hours after which it is read again; null: never.',
    type: 'integer',
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsInt()
  refreshHours: number | null;

  @ApiProperty({
    description:
      'READY: it is searched. WAITING: it has not been read yet. FAILED: the last reading failed, as `error` says; what was read before is searched on.',
    enum: KNOWLEDGE_STATES,
    example: 'READY',
  })
  @IsIn(KNOWLEDGE_STATES)
  state: KnowledgeState;

  @ApiProperty({
    description:
      'Why the last reading failed, as `HTTP_404`, `TIMEOUT` or `TOO_LARGE`; of a file, as `UNREADABLE`, `ENCRYPTED`, `NO_TEXT` (no kind that is read) or `EMPTY` (pictures alone); null: it did not.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  error: string | null;

  @ApiProperty({ description: 'Characters that are kept of it.', type: 'integer', example: 76, minimum: 0 })
  @IsInt()
  @Min(0)
  characters: number;

  @ApiProperty({
    description: `Whether it was longer than the ${SOURCE_CHARACTERS_MAX} characters that are kept.`,
    example: false,
  })
  @IsBoolean()
  shortened: boolean;

  @ApiProperty({
    description: 'When it was added (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  createdAt: string;

  @ApiProperty({
    description: 'When it was read the last time (ISO 8601, UTC); null: it has not been read.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  readAt: string | null;

  @ApiProperty({
    description: 'When it is read again (ISO 8601, UTC); null: it is not.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsISO8601()
  nextReadAt: string | null;
}

/** One source with what it says. */
export class KnowledgeSourceText extends KnowledgeSource {
  @ApiProperty({
    description: 'What it says, as the assistant reads it.',
    example: 'We are open from Monday to Friday, 7:00 to 18:00. We are closed on Sundays.',
  })
  @IsString()
  text: string;
}

/** Body of `POST /v1/sessions/:id/assistant/knowledge/search`. */
export class SearchKnowledgeBody {
  @ApiProperty({
    description: 'What a contact might write.',
    example: 'Are you open on Sundays?',
    minLength: 1,
    maxLength: 4_000,
  })
  @IsString()
  @Length(1, 4_000)
  query: string;
}

/** A passage of a source that has to do with a question. */
export class KnowledgePassage {
  @ApiProperty({ description: 'Source of the passage.', format: 'uuid' })
  @IsUUID()
  sourceId: string;

  @ApiProperty({ description: 'Name of the source.', example: 'Opening hours' })
  @IsString()
  title: string;

  @ApiProperty({
    description: 'The passage.',
    example: 'We are open from Monday to Friday, 7:00 to 18:00. We are closed on Sundays.',
  })
  @IsString()
  text: string;

  @ApiProperty({ description: 'How well it fits: more is better.', example: 1.4, minimum: 0 })
  @IsNumber()
  @Min(0)
  score: number;
}

/** Passages that have to do with a question, the best first. */
export class FoundKnowledge {
  @ApiProperty({
    description: 'What the model would read before its answer; empty: nothing fits.',
    type: [KnowledgePassage],
  })
  items: KnowledgePassage[];
}

/** A question to which no source has an answer. */
export class KnowledgeGap {
  @ApiProperty({ description: 'Id of the gap.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({
    description: 'What was asked, as the first contact wrote it.',
    example: 'Do you sell gift cards?',
  })
  @IsString()
  question: string;

  @ApiProperty({ description: 'How often it was asked.', type: 'integer', example: 3, minimum: 1 })
  @IsInt()
  @Min(1)
  count: number;

  @ApiProperty({
    description: 'When it was asked first (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  firstAt: string;

  @ApiProperty({
    description: 'When it was asked last (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  lastAt: string;
}
