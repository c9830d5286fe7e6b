import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EraseContactV1, ErasedInAssistant } from '@svc/contracts';
import { countErased, ErasedContacts } from '@svc/service';
import { DataSource } from 'typeorm';

/** Turns of one transaction. */
const PIECE = 500;
// Messages, calls and drafts go with their turn. A turn that began before and took messages later goes, too: nobody is answered half a question.
const TURNS_SQL = `DELETE FROM turn WHERE id = ANY (ARRAY(
  SELECT id FROM turn WHERE tenant_id = $1 AND chat = $2 AND first_at < $3 LIMIT ${PIECE}))`;
// Events of the conversation that nobody has read; of what the dispatcher has it erases itself.
const EVENTS_SQL = `DELETE FROM event_outbox WHERE envelope ->> 'tenantId' = $1::text AND envelope #>> '{data,chatId}' = $2`;
const ROWS_SQL = ['handoff', 'brain_conversation'].map(
  (table) => `DELETE FROM ${table} WHERE tenant_id = $1 AND chat = $2`,
);

// The words of a gap are those of whoever asked first: it goes with each who asked.
const GAPS_SQL = 'DELETE FROM knowledge_gap WHERE tenant_id = $1 AND $2 = ANY(chats)';

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
    for (const sql of [...ROWS_SQL, GAPS_SQL, EVENTS_SQL])
      await this.dataSource.query(sql, [tenantId, contact]);
    const { turns = 0 } = await countErased(this.dataSource.manager, erasureId, {});
    return { turns };
  }
}
