import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, Matches, Max, Min, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { AssistantFigures, FIGURE_DAYS_MAX } from '../../http/assistant/figures.js';
import { TurnView } from '../../http/assistant/turns.js';
import { SessionRef } from '../sessions/sessions.js';

/** Microseconds of the first message of a turn, and its id. */
const PLACE = /^\d{1,19}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Request of `list-turns`: of one session, newest first. */
export class ListTurnsV1 extends SessionRef {
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `place` of the last turn of the page before. */
  @IsOptional() @Matches(PLACE) before?: string;
}

/** A turn in a list. */
export class ListedTurn extends TurnView {
  /** Place of the turn in the list, which stays when it is deleted. */
  @Matches(PLACE) place: string;
}

/** Reply of `list-turns`. */
export class TurnsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedTurn) turns: ListedTurn[];
}

/** Lists the turns of a session. */
export const ListTurns = defineRequest('assistant', 'list-turns', ListTurnsV1, TurnsReply);

/** Request of `get-figures`: of one session, for so many days in UTC, today among them. */
export class GetFiguresV1 extends SessionRef {
  @IsInt() @Min(1) @Max(FIGURE_DAYS_MAX) days: number;
}

/** Counts what the assistant of a session did: turns, their outcomes and what they cost. */
export const GetFigures = defineRequest('assistant', 'get-figures', GetFiguresV1, AssistantFigures);
