import type { AssistantMode } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The mode of the assistant of a session, as `assistant` told it last. */
@Entity('session_assistant')
export class SessionAssistantRow {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') mode: AssistantMode;
  /** Number of the publication that said so: a higher one is newer. */
  @Column('integer') publication: number;
}
