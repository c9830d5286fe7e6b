import { Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import {
  AddKnowledgeBody,
  KnowledgeGap,
  KnowledgePassage,
  KnowledgeSource,
  KnowledgeSourceText,
} from '../../http/assistant/knowledge.js';
import { Nothing } from '../refs.js';
import { SessionRef } from '../sessions/sessions.js';

/** Request of `add-knowledge`. */
export class AddKnowledgeV1 extends SessionRef {
  @ValidateNested() @Type(() => AddKnowledgeBody) source: AddKnowledgeBody;
  /** Actor for the audit log: `key:<kid>`. Absent: an older gateway asks, and no line is written. */
  @IsOptional() @IsString() actor?: string;
}

/** Reply of `add-knowledge`. */
export class KnowledgeSourceReply {
  @ValidateNested() @Type(() => KnowledgeSource) source: KnowledgeSource;
}

/** Request of `list-knowledge`: the sources of a session, the newest first. */
export class ListKnowledgeV1 extends SessionRef {
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `id` of the last source of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** Reply of `list-knowledge`. */
export class KnowledgeReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => KnowledgeSource) sources: KnowledgeSource[];
}

/** Names a source of a session, or a gap. */
export class KnowledgeRef extends SessionRef {
  @IsUUID() id: string;
}

/** Request of `delete-knowledge`. */
export class DeleteKnowledgeV1 extends KnowledgeRef {
  /** Actor for the audit log: `key:<kid>`. Absent: an older gateway asks, and no line is written. */
  @IsOptional() @IsString() actor?: string;
}

/** Reply of `get-knowledge`. */
export class KnowledgeTextReply {
  @ValidateNested() @Type(() => KnowledgeSourceText) source: KnowledgeSourceText;
}

/** Request of `search-knowledge`. */
export class SearchKnowledgeV1 extends SessionRef {
  @IsString() @Length(1, 4_000) query: string;
}

/** Reply of `search-knowledge`. */
export class FoundKnowledgeReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => KnowledgePassage) items: KnowledgePassage[];
}

/** Microseconds at which a gap was asked last, and its id. */
const PLACE = /^\d{1,19}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Request of `list-gaps`: of one session, those asked last first. */
export class ListGapsV1 extends SessionRef {
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `place` of the last gap of the page before. */
  @IsOptional() @Matches(PLACE) before?: string;
}

/** A gap in a list. */
export class ListedGap extends KnowledgeGap {
  /** Place of the gap in the list. */
  @Matches(PLACE) place: string;
}

/** Reply of `list-gaps`. */
export class GapsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedGap) gaps: ListedGap[];
}

const APP = 'assistant';
/** Adds a source to what the assistant of a session knows. */
export const AddKnowledge = defineRequest(APP, 'add-knowledge', AddKnowledgeV1, KnowledgeSourceReply);
/** Lists the sources of a session. */
export const ListKnowledge = defineRequest(APP, 'list-knowledge', ListKnowledgeV1, KnowledgeReply);
/** Reads a source with its text; `KNOWLEDGE_NOT_FOUND` where the session has none with this id. */
export const GetKnowledge = defineRequest(APP, 'get-knowledge', KnowledgeRef, KnowledgeTextReply);
/** Deletes a source; `KNOWLEDGE_NOT_FOUND` where the session has none with this id. */
export const DeleteKnowledge = defineRequest(APP, 'delete-knowledge', DeleteKnowledgeV1, Nothing);
/** Finds what the model would read before it answers a text. */
export const SearchKnowledge = defineRequest(APP, 'search-knowledge', SearchKnowledgeV1, FoundKnowledgeReply);
/** Lists questions to which no source has an answer. */
export const ListGaps = defineRequest(APP, 'list-gaps', ListGapsV1, GapsReply);
/** Deletes a gap; `KNOWLEDGE_NOT_FOUND` where the session has none with this id. */
export const DismissGap = defineRequest(APP, 'dismiss-gap', KnowledgeRef, Nothing);
