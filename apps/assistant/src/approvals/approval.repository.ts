import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ListedCall, ListToolCallsV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../audited-changes.js';
import { WAITS_HOURS } from '../tools/approval-requests.repository.js';
import { DONE } from '../tools/decided-calls.js';
import type { Outcome } from '../tools/tool-calls.service.js';
import { TurnRepository } from '../turns/turn.repository.js';
import type { Approval } from './approval.js';

/** Time after which a call that has no end was cut off: twice of what a tool may take. */
const CALL_MS = 30_000;

const COLUMNS = `a.id, a.tenant_id AS "tenantId", a.session_id AS "sessionId", a.chat, a.tool, a.arguments, a.state, a.outcome, a.claim,
  (SELECT phone FROM turn WHERE id = a.turn_id) AS phone`;
const LIST_SQL = `SELECT id, place, tenant_id AS "tenantId", session_id AS "sessionId", turn_id AS "turnId", chat, tool, arguments, state,
    created_at AS "createdAt", expires_at AS "expiresAt"
  FROM approval WHERE tenant_id = $1 AND ($2::uuid IS NULL OR session_id = $2) AND ($3::bigint IS NULL OR place < $3)
    AND state IN ('WAITING', 'CALLING') AND expires_at > svc_now(tenant_id)
  ORDER BY place DESC LIMIT $4`;
const FIND_SQL = `SELECT ${COLUMNS} FROM approval a WHERE id = $1 AND expires_at > svc_now(tenant_id)`;
const BEGIN_SQL = `UPDATE approval a SET state = 'CALLING', claim = claim + 1,
    claimed_until = clock_timestamp() + interval '${CALL_MS} ms'
  WHERE id = $1 AND (state = 'WAITING' OR (state = 'CALLING' AND claimed_until < clock_timestamp()))
    AND EXISTS (SELECT FROM tool WHERE tenant_id = a.tenant_id AND name = a.tool AND change_id = a.change_id)
  RETURNING ${COLUMNS}`;
const DECIDED = `decided_at = clock_timestamp(), expires_at = svc_now(tenant_id) + interval '${WAITS_HOURS} h'`;
const SETTLE_SQL = `UPDATE approval SET state = 'CALLED', claimed_until = NULL, outcome = $3, answer = $4, told_in = $5, ${DECIDED}
  WHERE id = $1 AND claim = $2 AND state = 'CALLING' RETURNING id`;
const REFUSE_SQL = `UPDATE approval SET state = 'REFUSED', ${DECIDED} WHERE id = $1 AND state = 'WAITING' RETURNING id`;
const SHOW_SQL = 'UPDATE tool_call SET outcome = $2 WHERE id = $1';

interface ListedRow extends Omit<ListedCall, 'arguments' | 'createdAt' | 'expiresAt'> {
  arguments: string;
  createdAt: Date;
  expiresAt: Date;
}

/** This repository keeps calls on which a person decides, and what comes of them, for a day each. */
@Injectable()
export class ApprovalRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: AuditedChanges,
    private readonly turns: TurnRepository,
  ) {}

  /** Lists calls that wait, the last one first. */
  async list({ tenantId, sessionId, before, limit }: ListToolCallsV1): Promise<ListedCall[]> {
    const values = [tenantId, sessionId ?? null, before ?? null, limit];
    const rows = await this.dataSource.query<ListedRow[]>(LIST_SQL, values);
    return rows.map(({ arguments: said, createdAt, expiresAt, ...row }) => ({
      ...{ ...row, arguments: JSON.parse(said) as Record<string, unknown> },
      ...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
    }));
  }

  /** Finds a call of anybody whose day is not over. */
  async find(id: string): Promise<Approval | undefined> {
    const [row] = await this.dataSource.query<Approval[]>(FIND_SQL, [id]);
    return row;
  }

  /** Fixes that a call is made, before it is. @returns undefined where it is being made, does not wait, or its tool has changed. */
  async begin(approval: Approval, actor: string): Promise<Approval | undefined> {
    let begun: Approval | undefined;
    await this.changes.write(lineOf(approval, actor, 'approved'), async (tx) => {
      [[begun]] = await tx.query<[Approval[], number]>(BEGIN_SQL, [approval.id]);
      return begun !== undefined;
    });
    return begun;
  }

  /**
   * Notes what became of a call, and opens a turn that tells it, in one transaction.
   * @param isTold whether a turn is opened; without one the next turn of the conversation tells it.
   * @returns the turn, where one is open; false where the call is another try's by now, or forgotten
   */
  settle(approval: Approval, { code, words }: Outcome, isTold: boolean): Promise<string | null | false> {
    const { id, claim } = approval;
    return this.dataSource
      .transaction(async (tx) => {
        // The turn comes first, as it does for whoever ends one, or erases it: they wait for each other in one order.
        const turnId = (isTold && (await this.turns.openIn(tx, approval))) || null;
        const values = [id, claim, code, code === DONE ? words : null, turnId];
        const [rows] = await tx.query<[unknown[], number]>(SETTLE_SQL, values);
        if (rows.length === 0) throw new SettledMeanwhile();
        await tx.query(SHOW_SQL, [id, code]);
        return turnId;
      })
      .catch((error: unknown) => {
        if (error instanceof SettledMeanwhile) return false as const;
        throw error;
      });
  }

  /** @returns false where it does not wait. */
  refuse(approval: Approval, actor: string): Promise<boolean> {
    return this.changes.write(lineOf(approval, actor, 'refused'), async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(REFUSE_SQL, [approval.id]);
      if (rows.length > 0) await tx.query(SHOW_SQL, [approval.id, 'REFUSED']);
      return rows.length > 0;
    });
  }
}

/** Makes the line for the audit log: who has decided, and on the call of which tool. */
const lineOf = ({ id, tenantId, sessionId, tool }: Approval, actor: string, decision: string) => ({
  ...{ tenantId, actor, action: `assistant.tool_call_${decision}`, target: id },
  details: { tool, sessionId },
});

/** Ends the transaction of a try that somebody else has taken over, so that no turn is opened. */
class SettledMeanwhile extends Error {}
