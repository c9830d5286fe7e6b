import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';
import { SOURCE_ANSWERS, type SourceAnswer, type VersionRules } from '../../connections/versions.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const SW_REVISION =
  'Latest revision, as the service worker (/sw.js) names it; of any size, as garbage may be.';
const PAGE_REVISION = 'Latest revision, as the first page (/) names it.';
const SW_ANSWER =
  'Answer of /sw.js. garbage: a page without a revision. endless: one without an end. hanging: none.';
const PAGE_ANSWER = 'Answer of /, likewise.';
const LOGIN_FLOOR = 'Lowest revision that may log in; below it is refused with 405. null: any.';
const LINKING_FLOOR =
  'Lowest revision that a phone links; below it the code is shown and the phone refuses it, unheard by the client. null: any.';
const REFUSED =
  'Revisions that may not log in, whatever the floor: a platform that takes back what it named.';
const CHANGED_LOGINS =
  'Revisions whose logins are answered by a stanza that no client knows, and by nothing else: a platform that logs newer clients in otherwise.';
const SHARE = 'Part of the accounts that the floors concern: always the same ones, more of them as it grows.';
const LOCATION = 'Site that refuses, as it names itself.';

/** Request for the versions that the platform names and takes. */
export class VersionsChange {
  @ApiPropertyOptional({ description: SW_REVISION, example: 1_050_000_000 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  swRevision?: number;

  @ApiPropertyOptional({ description: PAGE_REVISION, example: 1_050_000_000 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  pageRevision?: number;

  @ApiPropertyOptional({ description: SW_ANSWER, enum: SOURCE_ANSWERS, example: 'auto' })
  @MayBeAbsent()
  @IsIn(SOURCE_ANSWERS)
  swAnswer?: SourceAnswer;

  @ApiPropertyOptional({ description: PAGE_ANSWER, enum: SOURCE_ANSWERS, example: 'hanging' })
  @MayBeAbsent()
  @IsIn(SOURCE_ANSWERS)
  pageAnswer?: SourceAnswer;

  @ApiPropertyOptional({ description: LOGIN_FLOOR, example: 1_050_000_000, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(0)
  loginFloor?: number | null;

  @ApiPropertyOptional({ description: LINKING_FLOOR, example: 1_050_000_000, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(0)
  linkingFloor?: number | null;

  @ApiPropertyOptional({ description: REFUSED, example: [1_050_000_000], type: [Number] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(100)
  @IsInt({ each: true })
  refusedRevisions?: number[];

  @ApiPropertyOptional({ description: CHANGED_LOGINS, example: [1_050_000_000], type: [Number] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(100)
  @IsInt({ each: true })
  changedLogins?: number[];

  @ApiPropertyOptional({ description: SHARE, example: 0.2 })
  @MayBeAbsent()
  @IsNumber()
  @Min(0)
  @Max(1)
  share?: number;

  @ApiPropertyOptional({ description: LOCATION, example: 'frc' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 20)
  location?: string;
}

/** Requests to one of the sources, and to both. */
export class SourceReads {
  @ApiProperty({ description: 'Requests for /sw.js.', example: 1 })
  sw: number;

  @ApiProperty({ description: 'Requests for /.', example: 1 })
  page: number;
}

export class VersionsView implements VersionRules {
  @ApiProperty({ description: SW_REVISION, example: 1_050_000_000 })
  swRevision: number;

  @ApiProperty({ description: PAGE_REVISION, example: 1_050_000_000 })
  pageRevision: number;

  @ApiProperty({ description: SW_ANSWER, enum: SOURCE_ANSWERS, example: 'auto' })
  swAnswer: SourceAnswer;

  @ApiProperty({ description: PAGE_ANSWER, enum: SOURCE_ANSWERS, example: 'auto' })
  pageAnswer: SourceAnswer;

  @ApiProperty({ description: LOGIN_FLOOR, example: 1_050_000_000, type: Number, nullable: true })
  loginFloor: number | null;

  @ApiProperty({ description: LINKING_FLOOR, example: 1_050_000_000, type: Number, nullable: true })
  linkingFloor: number | null;

  @ApiProperty({ description: REFUSED, example: [1_050_000_000], type: [Number] })
  refusedRevisions: number[];

  @ApiProperty({ description: CHANGED_LOGINS, example: [1_050_000_000], type: [Number] })
  changedLogins: number[];

  @ApiProperty({ description: SHARE, example: 1 })
  share: number;

  @ApiProperty({ description: LOCATION, example: 'frc' })
  location: string;

  @ApiProperty({ description: 'How often the sources were read since the last DELETE.', type: SourceReads })
  reads: SourceReads;
}
