import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EraseContactV1, ErasedInAssistant } from '@svc/contracts';
import { countErased, ErasedContacts, isErasedSql } from '@svc/service';
import { DataSource } from 'typeorm';

/** Turns of one transaction. */
const PIECE = 500;
// Messages, calls of models and tools, approvals and drafts go with their turn. A turn that began before and took messages later goes, too: nobody is answered half a question.
const TURNS_SQL = `DELETE FROM turn WHERE id = ANY (ARRAY(
  SELECT id FROM turn WHERE tenant_id = $1 AND chat = $2 AND first_at < $3 LIMIT ${PIECE}))`;
// Events of the conversation that nobody has read; of what the dispatcher has it erases itself.
const EVENTS_SQL = `DELETE FROM event_outbox WHERE envelope ->> 'tenantId' = $1::text AND envelope #>> '{data,chatId}' = $2
  AND (envelope ->> 'occurredAt')::timestamptz < $3`;
// The time since which somebody has it is one of the clock of the tenant.
const HANDOFFS_SQL = `DELETE FROM handoff WHERE tenant_id = $1 AND chat = $2
  AND since < $3::timestamptz + (svc_now(tenant_id) - clock_timestamp())`;
const BRAINS_SQL = 'DELETE FROM brain_conversation WHERE tenant_id = $1 AND chat = $2 AND used_at < $3';
const PHONE_TEXTS_SQL = 'DELETE FROM phone_text WHERE tenant_id = $1 AND chat = $2 AND sent_at < $3';
const IS_ERASED_SQL = `SELECT WHERE ${isErasedSql({ tenant: '$1::uuid', hashes: '$2', at: '$3::timestamptz', toThem: 'true' })}`;
// The words of a gap are those of whoever asked first: it goes with each who asked.
const GAPS_SQL =
  'DELETE FROM knowledge_gap WHERE tenant_id = $1 AND $2 = ANY(chats) AND first_at < $3::timestamptz';

/** This service erases what the assistant keeps of a contact: the conversation with them, as turns, and who has it. */
@Injectable()
export class ErasuresService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly erased: ErasedContacts,
  ) {}

  /** Erases all of it; may be asked again and again. Of what is on its way nothing is taken from the first time on. */
  async erase(request: EraseContactV1): Promise<ErasedInAssistant> {
    const { tenantId, contact, before, erasureId } = request;
    await this.erased.note(this.dataSource.manager, request);
    for (let isDone = false; !isDone;) {
      await this.dataSource.transaction(async (tx) => {
        const [, turns] = await tx.query<[unknown[], number]>(TURNS_SQL, [tenantId, contact, before]);
        await countErased(tx, erasureId, { turns });
        isDone = turns < PIECE;
      });
    }
    for (const sql of [HANDOFFS_SQL, BRAINS_SQL, GAPS_SQL, PHONE_TEXTS_SQL, EVENTS_SQL])
      await this.dataSource.query(sql, [tenantId, contact, before]);
    const { turns = 0 } = await countErased(this.dataSource.manager, erasureId, {});
    return { turns };
  }

  /** Says whether what was written to a contact at that time belongs to an erasure: it may be told late, and again. */
  async isErased(tenantId: string, contact: string, at: string): Promise<boolean> {
    const hashes = this.erased.hashesOf(tenantId, [contact]);
    return (await this.dataSource.query<unknown[]>(IS_ERASED_SQL, [tenantId, hashes, at])).length > 0;
  }
}
