import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

const BEGIN_SQL = `INSERT INTO tool_call (id, turn_id, tenant_id, tool)
  SELECT $1, id, tenant_id, $4 FROM turn WHERE id = $2 AND claim = $3
  ON CONFLICT (id) DO UPDATE SET tool = excluded.tool
  RETURNING outcome, answer`;
const END_SQL = 'UPDATE tool_call SET outcome = $2, answer = $3 WHERE id = $1';

/** The turn in which a tool is called, claimed by this process. */
export interface CallingTurn {
  id: string;
  claim: string;
}

/** A call as it is kept: what the tool has answered, once it has. */
export interface KeptCall {
  outcome: string | null;
  answer: string | null;
}

/** This repository keeps calls of tools: what one has answered is used again where the turn begins again. */
@Injectable()
export class ToolCallRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes that a call begins, and reads what is kept of it. @returns undefined where the turn is somebody else's. */
  async begin(id: string, turn: CallingTurn, tool: string): Promise<KeptCall | undefined> {
    const [row] = await this.dataSource.query<KeptCall[]>(BEGIN_SQL, [id, turn.id, turn.claim, tool]);
    return row;
  }

  async end(id: string, outcome: string, answer: string | null): Promise<void> {
    await this.dataSource.query(END_SQL, [id, outcome, answer]);
  }
}
