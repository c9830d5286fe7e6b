import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The phone of a sandbox session; two sessions never share one. */
@Entity('sandbox_number')
export class SandboxNumber {
  /** Digits with country code. */
  @PrimaryColumn('text') phone: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
}
