import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { BrainQuestion } from './brain.js';

const FIND_SQL = `SELECT foreign_id AS "foreignId" FROM brain_conversation
  WHERE session_id = $1 AND chat = $2 AND tenant_id = $3 AND base_url = $4`;
const KEEP_SQL = `INSERT INTO brain_conversation (session_id, chat, tenant_id, base_url, foreign_id) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (session_id, chat) DO UPDATE SET base_url = $4, foreign_id = $5, used_at = clock_timestamp()
    WHERE brain_conversation.tenant_id = $3`;
const FORGET_SQL = 'DELETE FROM brain_conversation WHERE session_id = $1 AND chat = $2 AND tenant_id = $3';

/** Names a conversation, and the address at which a brain knows it. */
type Place = Pick<BrainQuestion, 'conversation' | 'access'>;

/** This repository keeps the names that foreign brains give conversations; another address knows none of them. */
@Injectable()
export class BrainConversations {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find({ conversation: { sessionId, chat, tenantId }, access }: Place): Promise<string | undefined> {
    const values = [sessionId, chat, tenantId, access.baseUrl];
    const [row] = await this.dataSource.query<{ foreignId: string }[]>(FIND_SQL, values);
    return row?.foreignId;
  }

  async keep(
    { conversation: { sessionId, chat, tenantId }, access }: Place,
    foreignId: string,
  ): Promise<void> {
    await this.dataSource.query(KEEP_SQL, [sessionId, chat, tenantId, access.baseUrl, foreignId]);
  }

  async forget({ conversation: { sessionId, chat, tenantId } }: Place): Promise<void> {
    await this.dataSource.query(FORGET_SQL, [sessionId, chat, tenantId]);
  }
}
