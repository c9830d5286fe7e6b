import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { PlayedAnswer, PlayMessage } from '../../http/assistant/playground.js';
import { SessionRef } from '../sessions/sessions.js';

/** Request of `play`. */
export class PlayV1 extends SessionRef {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => PlayMessage)
  messages: PlayMessage[];
  /** The version that holds answers, and not the draft. */
  @IsBoolean() published: boolean;
}

/** Milliseconds after which `play` has an answer: those of a model among them. */
export const PLAY_WITHIN_MS = 30_000;

/**
 * Makes the answer to a conversation that is tried out: nothing is sent, and what it costs is counted. `ASSISTANT_CONFLICT` where the version that holds is
 * asked for and there is none.
 */
export const Play = defineRequest('assistant', 'play', PlayV1, PlayedAnswer);
