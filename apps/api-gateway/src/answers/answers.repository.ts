import { Injectable } from '@nestjs/common';
import { AppError, conversationIdOf, type SendAnswerV1 } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { Message } from '../messages/message.entity.js';
import { JobsRepository } from '../sending/jobs.repository.js';
import type { OutboundMessage } from '../sending/outbound-message.js';

/** The chat of a message, as it is at this moment. */
export interface AnsweredChat {
  contact: string;
  /** Time of the message that is answered. */
  knownAt: Date;
  /** Software, a member or the phone has written there since. */
  isOvertaken: boolean;
}

/** Names of the message that is answered, and of the answer: another try may have written it. */
type Answered = Pick<SendAnswerV1, 'jobId' | 'tenantId' | 'sessionId' | 'after'>;

// A message of the same millisecond counts as written since. Those of the assistant itself are parts of its answer before this one. The
// message is found by its own key (docs/adr/0028-statements-use-the-primary-key.md).
const CHAT_SQL = `SELECT known.contact, known.created_at AS "knownAt", EXISTS (SELECT FROM message m
    WHERE m.tenant_id = known.tenant_id AND m.contact = known.contact AND m.session_id = known.session_id
      AND m.created_at >= known.created_at AND m.id NOT IN (known.id, $4)
      AND m.direction = 'OUTBOUND' AND m.sent_by IS DISTINCT FROM 'ASSISTANT') AS "isOvertaken"
  FROM message known WHERE known.id = $1 AND (known.tenant_id = $2) IS TRUE AND (known.session_id = $3) IS TRUE`;

// The lock makes others wait, or this one: whoever writes a message moves its conversation in the same transaction.
const LOCK_SQL = 'SELECT FROM conversation WHERE id = $1 FOR UPDATE';

/** This class writes answers, each where nobody has written to its chat since the message that it answers. */
@Injectable()
export class AnswersRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: JobsRepository,
  ) {}

  /** @throws AppError `MESSAGE_NOT_FOUND` */
  chatOf(answered: Answered): Promise<AnsweredChat> {
    return readChat(this.dataSource, answered);
  }

  /**
   * Writes an answer. Nobody else writes to the chat between the look at it and the end of the transaction.
   * @returns 'OVERTAKEN' where somebody has written there; null where `JobsRepository.insert` would write nothing
   */
  async insert(message: OutboundMessage, after: string): Promise<Message | null | 'OVERTAKEN'> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query(LOCK_SQL, [conversationIdOf(message)]);
      const { isOvertaken, knownAt } = await readChat(tx, { ...message, jobId: message.id, after });
      return isOvertaken ? 'OVERTAKEN' : this.jobs.insertIn(tx, { ...message, knownAt });
    });
  }
}

async function readChat(
  db: Pick<EntityManager, 'query'>,
  { jobId, tenantId, sessionId, after }: Answered,
): Promise<AnsweredChat> {
  const [chat] = await db.query<AnsweredChat[]>(CHAT_SQL, [after, tenantId, sessionId, jobId]);
  if (!chat) throw new AppError('MESSAGE_NOT_FOUND');
  return chat;
}
