import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message that waits for its time. It takes no part in anything else until this row is gone. */
@Entity('scheduled_message')
export class ScheduledMessage {
  @PrimaryColumn('uuid', { name: 'job_id' }) jobId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
  /** Order of acceptance, among messages of the same time. */
  @Column('bigint') seq: string;
  /** Domain time. */
  @Column('timestamptz', { name: 'send_at' }) sendAt: Date;
  /** Time of the next look, in real time: no replica looks at it before. */
  @Column('timestamptz', { name: 'look_at' }) lookAt: Date;
  /** Real time: when it was tried for the first time. */
  @Column('timestamptz', { name: 'tried_since', nullable: true }) triedSince: Date | null;
}
