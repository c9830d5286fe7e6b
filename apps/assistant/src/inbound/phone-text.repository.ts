import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { MessageReceivedV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';
import type { ConversationRef } from '../conversations/conversations.service.js';

/** Longest time between the message of a contact and what a phone sends by itself: no person reads and writes as fast, again and again. */
const AT_ONCE_MS = 5_000;
/** Chats in which a text is sent at once before it is taken for the phone's own. */
const CHATS = 3;
/** Age of what the platform delivers late: when it was sent, beside other messages, is not known well enough. */
const LATE_MS = 30_000;

const NOTE_SQL = `WITH noted AS (
    INSERT INTO phone_text (session_id, digest, chat, tenant_id)
    SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT FROM turn WHERE session_id = $1 AND chat = $3 AND tenant_id = $4
      AND first_at > clock_timestamp() - interval '10 min'
      AND newest_at BETWEEN $5::timestamptz - make_interval(secs => ${AT_ONCE_MS / 1_000}) AND $5::timestamptz)
    ON CONFLICT (session_id, digest, chat) DO UPDATE SET sent_at = clock_timestamp() RETURNING chat)
  SELECT count(DISTINCT chat)::int AS chats FROM (
    SELECT chat FROM noted
    UNION ALL SELECT chat FROM phone_text WHERE session_id = $1 AND digest = $2 AND EXISTS (SELECT FROM noted)) AS sent`;

/** This repository learns which texts the app on a phone sends by itself, as a greeting or an away message. */
@Injectable()
export class PhoneTextRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Notes a text that a phone has sent, and says whether it does so by itself: at once, to one contact after the other. */
  async isAutomatic(
    { tenantId, sessionId, chat }: ConversationRef,
    message: MessageReceivedV1,
  ): Promise<boolean> {
    const { body, receivedAt = message.timestamp, timestamp } = message;
    if (body.type !== 'text' || !body.text) return false;
    if (Date.parse(receivedAt) - Date.parse(timestamp) > LATE_MS) return false;
    const digest = createHash('sha256').update(`${sessionId} ${body.text.normalize().trim()}`).digest('hex');
    const values = [sessionId, digest, chat, tenantId, receivedAt];
    const [row] = await this.dataSource.query<[{ chats: number }]>(NOTE_SQL, values);
    return row.chats >= CHATS;
  }
}
