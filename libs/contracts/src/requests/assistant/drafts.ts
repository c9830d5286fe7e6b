import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { MOST_TEXT } from '../../content/kinds/text.js';
import { defineRequest } from '../../contract.js';
import { SentDraft } from '../../http/assistant/drafts.js';
import { Nothing, TenantRef } from '../refs.js';
import { SessionRef } from '../sessions/sessions.js';

/** Request of `list-drafts`: drafts that wait, the last one first. */
export class ListDraftsV1 extends TenantRef {
  /** Only drafts of this session. */
  @IsOptional() @IsUUID() sessionId?: string;
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `id` of the last item of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** A draft that waits. */
export class ListedDraft extends SessionRef {
  /** Names the draft: ids are in the order of time. */
  @IsUUID() id: string;
  @IsUUID() turnId: string;
  @IsString() chat: string;
  @IsString() text: string;
  @IsInt() @Min(1) version: number;
  @IsISO8601() createdAt: string;
  @IsISO8601() expiresAt: string;
}

/** Reply of `list-drafts`. */
export class DraftsReply {
  /** More drafts were asked for and are there than one reply carries; two at least are in it. */
  @IsBoolean() isCut: boolean;
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedDraft) drafts: ListedDraft[];
}

/** Names a draft of a tenant. */
export class DraftRef extends TenantRef {
  @IsUUID() draftId: string;
}

/** Request of `approve-draft`. */
export class ApproveDraftV1 extends DraftRef {
  /** Text that is sent in its place. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(MOST_TEXT) text?: string;
}

const APP = 'assistant';
/** Lists drafts that wait for a person. */
export const ListDrafts = defineRequest(APP, 'list-drafts', ListDraftsV1, DraftsReply);
/**
 * Sends a draft, once; a repeat has the same reply. `DRAFT_CONFLICT` where it does not wait any more, or somebody has written meanwhile;
 * otherwise the refusal of the send.
 */
export const ApproveDraft = defineRequest(APP, 'approve-draft', ApproveDraftV1, SentDraft);
/** Discards a draft; a repeat changes nothing. `DRAFT_CONFLICT` where it was approved. */
export const DiscardDraft = defineRequest(APP, 'discard-draft', DraftRef, Nothing);
