import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  ConversationHandoff,
  type ConversationHandoffV1,
  conversationIdOf,
  type ConversationOwnerReply,
  type HandoffReason,
  type HandoffsReply,
  type ListHandoffsV1,
  type SetConversationOwnerV1,
} from '@svc/contracts';
import { eventOf, insertEvents, OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

/** Names a conversation. */
export interface ConversationRef {
  tenantId: string;
  sessionId: string;
  /** Address of the chat. */
  chat: string;
}

const HOLDS = '(h.until IS NULL OR h.until > svc_now(h.tenant_id))';
// A conversation that a person has already stays that person's, and for no shorter time, unless somebody asks for it.
const HAND_OVER_SQL = `INSERT INTO handoff AS h (id, session_id, chat, tenant_id, reason, since, until)
  VALUES ($6, $1, $2, $3, $4, svc_now($3), svc_now($3) + make_interval(mins => $5))
  ON CONFLICT (session_id, chat) DO UPDATE SET
    id = CASE WHEN ${HOLDS} THEN h.id ELSE excluded.id END,
    since = CASE WHEN ${HOLDS} THEN h.since ELSE excluded.since END,
    reason = CASE WHEN ${HOLDS} AND excluded.reason <> 'REQUESTED' THEN h.reason ELSE excluded.reason END,
    until = CASE WHEN NOT ${HOLDS} OR excluded.reason = 'REQUESTED' THEN excluded.until
      WHEN h.until IS NOT NULL AND excluded.until IS NOT NULL THEN greatest(h.until, excluded.until) END
    WHERE h.tenant_id = excluded.tenant_id
  RETURNING id, until, svc_now(tenant_id) AS at`;
const OWNER_SQL = `SELECT reason, until FROM handoff h
  WHERE session_id = $1 AND chat = $2 AND tenant_id = $3 AND ${HOLDS}`;
const RESUME_SQL = `DELETE FROM handoff h WHERE session_id = $1 AND chat = $2 AND tenant_id = $3
  RETURNING ${HOLDS} AS held, svc_now(tenant_id) AS at`;
const LIST_SQL = `SELECT id, tenant_id AS "tenantId", session_id AS "sessionId", chat, reason, since, until FROM handoff h
  WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ${HOLDS} ORDER BY id DESC LIMIT $3`;

interface HandoffRow {
  id: string;
  tenantId: string;
  sessionId: string;
  chat: string;
  reason: HandoffReason;
  since: Date;
  until: Date | null;
}

/** This service keeps who owns a conversation: the assistant, which is the rule, or a person. Each change of that is told, once. */
@Injectable()
export class ConversationsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  /** Reads the owner of a conversation. */
  async ownerOf({ tenantId, sessionId, chat }: ConversationRef): Promise<ConversationOwnerReply> {
    const [row] = await this.dataSource.query<HandoffRow[]>(OWNER_SQL, [sessionId, chat, tenantId]);
    if (!row) return { owner: 'ASSISTANT' };
    return { owner: 'HUMAN', reason: row.reason, ...untilOf(row) };
  }

  /** Lists conversations that a person has, those handed over last first. */
  async list({ tenantId, before, limit }: ListHandoffsV1): Promise<HandoffsReply> {
    const rows = await this.dataSource.query<HandoffRow[]>(LIST_SQL, [tenantId, before ?? null, limit]);
    const handoffs = rows.map(({ until, ...row }) => ({
      ...{ ...row, since: row.since.toISOString() },
      ...untilOf({ until }),
    }));
    return { handoffs };
  }

  /** Hands a conversation to a person. @param minutes after which it is the assistant's again; 0: never by itself. */
  handOver(ref: ConversationRef, reason: HandoffReason, minutes: number): Promise<void> {
    const { tenantId, sessionId, chat } = ref;
    const id = uuidv7();
    const values = [sessionId, chat, tenantId, reason, minutes || null, id];
    return this.change(ref, async (tx) => {
      const rows = await tx.query<{ id: string; until: Date | null; at: Date }[]>(HAND_OVER_SQL, values);
      const [row] = rows;
      if (!row || row.id !== id) return undefined;
      return { owner: 'HUMAN', reason, ...untilOf(row), timestamp: row.at.toISOString() };
    });
  }

  /** Sets the owner as somebody has asked by API. */
  async setOwner(request: SetConversationOwnerV1): Promise<ConversationOwnerReply> {
    if (request.owner === 'HUMAN') await this.handOver(request, 'REQUESTED', request.minutes ?? 0);
    else await this.resume(request);
    return this.ownerOf(request);
  }

  private resume(ref: ConversationRef): Promise<void> {
    return this.change(ref, async (tx) => {
      const values = [ref.sessionId, ref.chat, ref.tenantId];
      const [[row]] = await tx.query<[{ held: boolean; at: Date }[], number]>(RESUME_SQL, values);
      return row?.held
        ? { owner: 'ASSISTANT', reason: 'REQUESTED', timestamp: row.at.toISOString() }
        : undefined;
    });
  }

  /** Makes a change and writes the event of it together. */
  private async change(
    { tenantId, sessionId, chat }: ConversationRef,
    make: (
      tx: EntityManager,
    ) => Promise<Omit<ConversationHandoffV1, 'sessionId' | 'conversationId' | 'chatId'> | undefined>,
  ): Promise<void> {
    const conversationId = conversationIdOf({ tenantId, sessionId, contact: chat });
    const events = await this.dataSource.transaction(async (tx) => {
      const change = await make(tx);
      if (!change) return [];
      const data = { sessionId, conversationId, chatId: chat, ...change };
      const event = eventOf(ConversationHandoff, tenantId, data);
      await insertEvents(tx, [event]);
      return [event];
    });
    this.outbox.publish(events);
  }
}

const untilOf = ({ until }: Pick<HandoffRow, 'until'>): { until?: string } =>
  until ? { until: until.toISOString() } : {};
