import { IsInt, IsISO8601, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import { defineEvent } from '../contract.js';

/** The largest number of tokens of one call: more is a fault of the producer, and would be billed. */
export const LLM_CALL_MAX = 10_000_000;

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
  /** Time of the call, in domain time (ISO 8601, UTC); decides the day and the month. */
  @IsISO8601() timestamp: string;
}

/** A language model was called for an answer. No service of today does so. */
export const LlmCalled = defineEvent('llm.called', 1, LlmCalledV1, {
  public: false,
  summary: 'A language model was called for an answer.',
  by: [],
});

/** Events of language models. */
export const LLM_EVENTS = [LlmCalled] as const;
