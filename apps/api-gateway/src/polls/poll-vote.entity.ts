import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last vote of a voter in a poll. */
@Entity('poll_vote')
export class PollVoteRow {
  @PrimaryColumn('uuid', { name: 'poll_id' }) pollId: string;
  @PrimaryColumn('text') voter: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  /** Address behind which the platform hides the number of the voter, where both are known. */
  @Column('text', { nullable: true }) hidden: string | null;
  @Column('text') chat: string;
  @Column('jsonb') options: string[];
  @Column('integer', { name: 'unknown_options' }) unknownOptions: number;
  @Column('boolean') unreadable: boolean;
  @Column('timestamptz', { name: 'voted_at' }) votedAt: Date;
  /** Time at which it was given, as erasures look at it. */
  @Column('timestamptz', { name: 'happened_at' }) happenedAt: Date;
}
