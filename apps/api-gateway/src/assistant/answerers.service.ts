import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Answerer, AssistantMode, BotMode } from '@svc/contracts';
import { In, Repository } from 'typeorm';
import { SessionAssistantRow } from '../assistant/session-assistant.entity.js';

/** The fields of a session that say who answers it. */
interface Answered {
  id: string;
  botMode: BotMode;
}

/** A publication of settings, as `assistant` tells of it. */
export interface Publication {
  tenantId: string;
  sessionId: string;
  mode: AssistantMode;
  publication: number;
}

// Events come in any order, and again; the answer to a publication may be here before its event.
const NOTE_SQL = `INSERT INTO session_assistant AS s (session_id, tenant_id, mode, publication) VALUES ($1, $2, $3, $4)
  ON CONFLICT (session_id) DO UPDATE SET mode = excluded.mode, publication = excluded.publication
  WHERE s.tenant_id = excluded.tenant_id AND s.publication < excluded.publication`;

const USED_SQL = `SELECT FROM audit_log WHERE tenant_id = $1 AND action LIKE 'assistant.%' LIMIT 1`;

/** This class says who answers a session. Of its assistant it keeps what was told last, so that no list has to ask for it. */
@Injectable()
export class Answerers {
  constructor(
    @InjectRepository(SessionAssistantRow) private readonly rows: Repository<SessionAssistantRow>,
  ) {}

  async note({ tenantId, sessionId, mode, publication }: Publication): Promise<void> {
    await this.rows.query(NOTE_SQL, [sessionId, tenantId, mode, publication]);
  }

  /** Forgets a session that is deleted. */
  async forget(sessionId: string): Promise<void> {
    await this.rows.delete({ sessionId });
  }

  /** Says whether a tenant has, or ever had, an assistant: an installation may be without that service. The audit log knows. */
  async isUsedBy(tenantId: string): Promise<boolean> {
    return (await this.rows.query<unknown[]>(USED_SQL, [tenantId])).length > 0;
  }

  async of(session: Answered): Promise<Answerer> {
    return (await this.ofEach([session])).get(session.id) ?? 'nobody';
  }

  /** Says who answers each session, by id. A paused endpoint answers, too: what people write waits for it. */
  async ofEach(sessions: Answered[]): Promise<Map<string, Answerer>> {
    const managed = sessions.filter(({ botMode }) => botMode === 'MANAGED').map(({ id }) => id);
    const rows = managed.length === 0 ? [] : await this.rows.findBy({ sessionId: In(managed), mode: 'auto' });
    const assisted = new Set(rows.map(({ sessionId }) => sessionId));
    return new Map(sessions.map(({ id, botMode }) => [id, answererOf(botMode, assisted.has(id))]));
  }
}

function answererOf(botMode: BotMode, isAssisted: boolean): Answerer {
  if (botMode === 'EXTERNAL') return 'webhook';
  return isAssisted ? 'assistant' : 'nobody';
}
