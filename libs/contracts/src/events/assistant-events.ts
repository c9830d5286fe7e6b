import { IsIn, IsInt, IsISO8601, IsUUID, Min } from 'class-validator';
import { defineEvent } from '../contract.js';
import { ASSISTANT_MODES, type AssistantMode } from '../enums.js';

/** Data of `assistant.published`: internal, for whoever shows who answers a session. */
export class AssistantPublishedV1 {
  @IsUUID() sessionId: string;
  /** Version of the settings that holds. */
  @IsInt() @Min(1) version: number;
  @IsIn(ASSISTANT_MODES) mode: AssistantMode;
  /** Number of publications of the session until now: of two events the one with the higher number is the newer one. */
  @IsInt() @Min(1) publication: number;
  @IsISO8601() timestamp: string;
}

/** Other settings hold for the assistant of a session. */
export const AssistantPublished = defineEvent('assistant.published', 1, AssistantPublishedV1, {
  public: false,
  summary: 'Other settings hold for the assistant of the session: they say whether it answers.',
  by: ['assistant'],
});

/** Events of assistants. */
export const ASSISTANT_EVENTS = [AssistantPublished] as const;
