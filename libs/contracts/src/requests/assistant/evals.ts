import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { EvalsRunBody, Judgement } from '../../http/assistant/evals.js';
import { PlayMessage } from '../../http/assistant/playground.js';
import { SessionRef } from '../sessions/sessions.js';
import { AssistantSettingsReply } from './settings.js';

/** Request of `judge`. */
export class JudgeV1 extends SessionRef {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => PlayMessage)
  messages: PlayMessage[];
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @IsString({ each: true })
  @Length(1, 500, { each: true })
  criteria: string[];
}

/** Request of `demand-evals`. */
export class DemandEvalsV1 extends SessionRef {
  @IsBoolean() demanded: boolean;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

/** Request of `note-evals-run`. */
export class NoteEvalsRunV1 extends SessionRef {
  @ValidateNested() @Type(() => EvalsRunBody) run: EvalsRunBody;
}

const APP = 'assistant';
/** Has the model of the tenant judge an answer by sentences; it counts as a conversation that is tried out. */
export const Judge = defineRequest(APP, 'judge', JudgeV1, Judgement);
/** Says whether a draft is published only after a run of evals in which every conversation held. */
export const DemandEvals = defineRequest(APP, 'demand-evals', DemandEvalsV1, AssistantSettingsReply);
/** Notes how a run of evals against the draft ended; `ASSISTANT_CONFLICT` where the draft has changed since. */
export const NoteEvalsRun = defineRequest(APP, 'note-evals-run', NoteEvalsRunV1, AssistantSettingsReply);
