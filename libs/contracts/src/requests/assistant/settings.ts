import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsISO8601, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { EvalsRun } from '../../http/assistant/evals.js';
import { AssistantSettings } from '../../http/assistant/settings.js';
import { SessionRef } from '../sessions/sessions.js';

/** Request of `set-settings`: the draft as a whole. It is not in the audit log: nobody is answered by it until it is published. */
export class SetAssistantSettingsV1 extends SessionRef {
  @ValidateNested() @Type(() => AssistantSettings) settings: AssistantSettings;
  /** The draft changes only where it is still at this revision; left out: in any case. */
  @IsOptional() @IsInt() @Min(0) ifRevision?: number;
}

/** Request of `publish-settings`. */
export class PublishAssistantSettingsV1 extends SessionRef {
  /** Version that is published again; left out: the draft becomes a version. */
  @IsOptional() @IsInt() @Min(1) version?: number;
  @IsOptional() @IsInt() @Min(0) ifRevision?: number;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

/** The version of the settings that holds. */
export class PublishedVersion {
  @IsInt() @Min(1) version: number;
  @ValidateNested() @Type(() => AssistantSettings) settings: AssistantSettings;
  @IsISO8601() publishedAt: string;
  /** Number of the publication, as `assistant.published` tells it. */
  @IsOptional() @IsInt() @Min(1) publication?: number;
}

/** Reply of all requests about the settings of a session. */
export class AssistantSettingsReply {
  @ValidateNested() @Type(() => AssistantSettings) draft: AssistantSettings;
  /** Number of changes of the draft; 0: it has its defaults. */
  @IsInt() @Min(0) revision: number;
  /** Absent: none was published, and nobody is answered. */
  @IsOptional() @ValidateNested() @Type(() => PublishedVersion) published?: PublishedVersion;
  /** A draft is published only after a run of evals in which every conversation held. An earlier release says nothing. */
  @IsOptional() @IsBoolean() evalsDemanded?: boolean;
  /** The last run of evals that was told. */
  @IsOptional() @ValidateNested() @Type(() => EvalsRun) evals?: EvalsRun;
}

const APP = 'assistant';
/** Reads draft and published settings; defaults where there are none. */
export const GetAssistantSettings = defineRequest(APP, 'get-settings', SessionRef, AssistantSettingsReply);
/** Replaces the draft; `ASSISTANT_CONFLICT` where somebody has changed it meanwhile. */
export const SetAssistantSettings = defineRequest(
  APP,
  'set-settings',
  SetAssistantSettingsV1,
  AssistantSettingsReply,
);
/** Publishes the draft, or a version of before once more. */
export const PublishAssistantSettings = defineRequest(
  APP,
  'publish-settings',
  PublishAssistantSettingsV1,
  AssistantSettingsReply,
);
