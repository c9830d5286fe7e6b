import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
} from 'class-validator';
import { defineEvent } from '../contract.js';

/** The largest number of tokens of one call: more is a fault of the producer, and would be billed. */
export const LLM_CALL_MAX = 10_000_000;

/** Purposes of a call: an answer to a contact, a try of the settings, or the summary of a long conversation. */
export const LLM_PURPOSES = ['answer', 'playground', 'summary'] as const;

/**
 * Payload of `llm.called`: one call of a language model for an answer of a `MANAGED` session, never of an `EXTERNAL` one. The
 * stream stores it for a day: the producer keeps its own row until billing has it.
 */
export class LlmCalledV1 {
  @IsUUID() sessionId: string;
  /** The service that called; together with the id of the envelope it names the call. */
  @IsString() @Length(1, 50) source: string;
  /** Tokens of question and answer together. */
  @IsInt() @Min(0) @Max(LLM_CALL_MAX) tokens: number;
  /** Tokens of the question, those from the provider's cache with them. The kinds are absent where the producer does not tell them. */
  @IsOptional() @IsInt() @Min(0) @Max(LLM_CALL_MAX) promptTokens?: number;
  @IsOptional() @IsInt() @Min(0) @Max(LLM_CALL_MAX) completionTokens?: number;
  @IsOptional() @IsInt() @Min(0) @Max(LLM_CALL_MAX) cachedTokens?: number;
  /** The provider has told no numbers: these are the producer's guess. */
  @IsOptional() @IsBoolean() estimated?: boolean;
  @IsOptional() @IsString() @Length(1, 200) model?: string;
  @IsOptional() @IsIn(LLM_PURPOSES) purpose?: (typeof LLM_PURPOSES)[number];
  /** Time of the call, in domain time (ISO 8601, UTC); decides the day and the month. */
  @IsISO8601() timestamp: string;
}

/** A language model was called for an answer. */
export const LlmCalled = defineEvent('llm.called', 1, LlmCalledV1, {
  public: false,
  summary: 'A language model was called for an answer.',
  by: ['assistant'],
});

/** Events of language models. */
export const LLM_EVENTS = [LlmCalled] as const;
