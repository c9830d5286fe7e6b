import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ConversationOwnerReply, HandoffReason, SetConversationOwnerV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** Names a conversation. */
export interface ConversationRef {
  tenantId: string;
  sessionId: string;
  /** Address of the chat. */
  chat: string;
}

const HAND_OVER_SQL = `INSERT INTO handoff (session_id, chat, tenant_id, reason, until)
  VALUES ($1, $2, $3, $4, svc_now($3) + make_interval(mins => $5))
  ON CONFLICT (session_id, chat) DO UPDATE SET reason = excluded.reason, until = excluded.until
    WHERE handoff.tenant_id = excluded.tenant_id`;
const OWNER_SQL = `SELECT reason, until FROM handoff
  WHERE session_id = $1 AND chat = $2 AND tenant_id = $3 AND (until IS NULL OR until > svc_now($3))`;
const RESUME_SQL = 'DELETE FROM handoff WHERE session_id = $1 AND chat = $2 AND tenant_id = $3';

interface HandoffRow {
  reason: HandoffReason;
  until: Date | null;
}

/** This service keeps who owns a conversation: the assistant, which is the rule, or a person. */
@Injectable()
export class ConversationsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Reads the owner of a conversation. */
  async ownerOf({ tenantId, sessionId, chat }: ConversationRef): Promise<ConversationOwnerReply> {
    const [row] = await this.dataSource.query<HandoffRow[]>(OWNER_SQL, [sessionId, chat, tenantId]);
    if (!row) return { owner: 'ASSISTANT' };
    const { reason, until } = row;
    return { owner: 'HUMAN', reason, ...(until ? { until: until.toISOString() } : {}) };
  }

  /** Hands a conversation to a person. @param minutes after which it is the assistant's again; 0: never by itself. */
  async handOver(
    { tenantId, sessionId, chat }: ConversationRef,
    reason: HandoffReason,
    minutes: number,
  ): Promise<void> {
    await this.dataSource.query(HAND_OVER_SQL, [sessionId, chat, tenantId, reason, minutes || null]);
  }

  /** Sets the owner as somebody has asked by API. */
  async setOwner(request: SetConversationOwnerV1): Promise<ConversationOwnerReply> {
    const { tenantId, sessionId, chat, owner, minutes = 0 } = request;
    if (owner === 'HUMAN') await this.handOver(request, 'REQUESTED', minutes);
    else await this.dataSource.query(RESUME_SQL, [sessionId, chat, tenantId]);
    return this.ownerOf(request);
  }
}
