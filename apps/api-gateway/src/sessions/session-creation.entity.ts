import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Row of a creation in external mode that is under way; its statements are in `session-creation.service.ts`. */
@Entity('session_creation')
export class SessionCreation {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') actor: string;
  /** Its session is to be deleted: a part of the creation has failed. */
  @Column('boolean') undone: boolean;
  /** Time from which a creation that nobody has ended is undone. */
  @Column('timestamptz', { name: 'due_at' }) dueAt: Date;
}
