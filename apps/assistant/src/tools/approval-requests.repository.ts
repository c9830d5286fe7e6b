import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ToolCallState } from '@svc/contracts';
import { DataSource } from 'typeorm';
import type { DecidedCall } from './decided-calls.js';
import type { CallingTurn } from './tool-call.repository.js';

/** Hours for which a call waits, and for which it is kept what came of it. */
export const WAITS_HOURS = 24;
/** Most calls of a session that wait: the oldest ones give way. */
const MOST_WAITING = 500;
/** Most calls of which the model hears at once; it hears of the others in the next turn. */
const MOST_TOLD = 8;

const ASK_SQL = `INSERT INTO approval (id, tenant_id, session_id, chat, turn_id, tool, change_id, arguments, created_at, expires_at)
  SELECT $1, t.tenant_id, t.session_id, t.chat, t.id, tool.name, tool.change_id, $5, now, now + interval '${WAITS_HOURS} h'
  FROM turn t JOIN tool ON tool.tenant_id = t.tenant_id AND tool.name = $4, svc_now(t.tenant_id) now
  WHERE t.id = $2 AND t.claim = $3
  ON CONFLICT (id) DO UPDATE SET tool = excluded.tool RETURNING state, outcome`;
const MAKE_ROOM_SQL = `DELETE FROM approval WHERE id = ANY (ARRAY(
  SELECT id FROM approval WHERE session_id = $1 AND state = 'WAITING' ORDER BY place DESC OFFSET ${MOST_WAITING}))`;
const TAKE_DECIDED_SQL = `UPDATE approval SET told_in = $1, is_read = true WHERE id = ANY (ARRAY(
    SELECT id FROM approval WHERE session_id = $2 AND chat = $3 AND state IN ('CALLED', 'REFUSED')
      AND (told_in IS NULL OR told_in = $1) AND arguments IS NOT NULL ORDER BY decided_at LIMIT ${MOST_TOLD}))
  RETURNING id, tool, arguments, state, outcome, answer, decided_at AS "decidedAt"`;

/** The turn in which a person is asked, or in which the model hears what came of it. */
interface AskingTurn extends CallingTurn {
  sessionId: string;
  chat: string;
}

/** A call as it stands when the model wants it. */
export interface AskedCall {
  state: ToolCallState;
  outcome: string | null;
}

/** This repository has calls wait for a person, and gives turns what came of them. */
@Injectable()
export class ApprovalRequests {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Has a call wait; a repeat changes nothing. @returns undefined where the turn is somebody else's, or the tool is gone. */
  async ask(id: string, turn: AskingTurn, tool: string, values: object): Promise<AskedCall | undefined> {
    const row = [id, turn.id, turn.claim, tool, JSON.stringify(values)];
    const [asked] = await this.dataSource.query<AskedCall[]>(ASK_SQL, row);
    await this.dataSource.query(MAKE_ROOM_SQL, [turn.sessionId]);
    return asked;
  }

  /** Takes the calls of which the model hears in a turn: those that wait for this one, and those that no turn has told. */
  async takeDecided({ id, sessionId, chat }: Omit<AskingTurn, 'claim'>): Promise<DecidedCall[]> {
    const [rows] = await this.dataSource.query<[DecidedCall[], number]>(TAKE_DECIDED_SQL, [
      ...[id, sessionId, chat],
    ]);
    return rows.sort((one, other) => one.decidedAt.getTime() - other.decidedAt.getTime());
  }
}
