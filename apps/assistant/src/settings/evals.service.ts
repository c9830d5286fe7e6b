import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type AssistantSettingsReply,
  type DemandEvalsV1,
  invalidField,
  type NoteEvalsRunV1,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { AuditedChanges } from '../audited-changes.js';
import { SettingsService } from './settings.service.js';

const DEMAND_SQL = `INSERT INTO assistant AS a (session_id, tenant_id, draft, revision, evals_demanded)
  SELECT $1, $2, '{}', 0, $3::boolean WHERE $3 OR EXISTS (SELECT FROM assistant WHERE session_id = $1)
  ON CONFLICT (session_id) DO UPDATE SET evals_demanded = $3 WHERE a.tenant_id = $2 AND a.evals_demanded <> $3
  RETURNING revision`;
const NOTE_SQL = `UPDATE assistant SET evals = $4::jsonb || jsonb_build_object('at', to_char(svc_now($2) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  WHERE session_id = $1 AND tenant_id = $2 AND revision = $3 RETURNING revision`;

/** This service keeps whether publishing demands evals, and how the last run of them ended. */
@Injectable()
export class EvalsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: AuditedChanges,
    private readonly settings: SettingsService,
  ) {}

  async demand({ tenantId, sessionId, demanded, actor }: DemandEvalsV1): Promise<AssistantSettingsReply> {
    const line = {
      tenantId,
      actor,
      action: 'assistant.evals_demanded',
      target: sessionId,
      details: { demanded },
    };
    await this.changes.write(line, async (tx) => {
      const rows = await tx.query<unknown[]>(DEMAND_SQL, [sessionId, tenantId, demanded]);
      return rows.length > 0;
    });
    return this.settings.get({ tenantId, sessionId });
  }

  /** @throws AppError `ASSISTANT_CONFLICT` where the draft has another revision by now; `VALIDATION_FAILED` where more failed than were played. */
  async note({ tenantId, sessionId, run }: NoteEvalsRunV1): Promise<AssistantSettingsReply> {
    const { revision, conversations, failed } = run;
    if (failed > conversations) throw invalidField('failed', 'failed must be at most conversations');
    const values = [sessionId, tenantId, revision, JSON.stringify({ revision, conversations, failed })];
    const [rows] = await this.dataSource.query<[unknown[], number]>(NOTE_SQL, values);
    if (rows.length === 0)
      throw new AppError('ASSISTANT_CONFLICT', 'The draft has changed since it was played.');
    return this.settings.get({ tenantId, sessionId });
  }
}
