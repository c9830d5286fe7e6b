import type {
  MessageBody,
  MessageFailure,
  MessageMedia,
  MessageOrigin,
  MessageStatus,
  Metadata,
  OutboundContent,
  RelatedMessage,
  Sender,
} from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One message: read model, send ledger and outbox of the send command. */
@Entity('message')
export class Message {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
  @Column('text') direction: 'OUTBOUND' | 'INBOUND';
  @Column('text') status: MessageStatus;
  /** The other side's address. */
  @Column('text') contact: string;
  /** Address that the send named, where the account of that number has another one. */
  @Column('text', { name: 'requested_to', nullable: true }) requestedTo: string | null;
  @Column('jsonb') body: MessageBody;
  /** Content of an outbound message that is more than the text of its body; the command carries it. */
  @Column('jsonb', { nullable: true }) content: OutboundContent | null;
  @Column('jsonb', { name: 'relates_to', nullable: true }) relatesTo: RelatedMessage | null;
  /** Origin of an inbound message. */
  @Column('jsonb', { nullable: true }) origin: MessageOrigin | null;
  /** The file of an inbound message that has one. */
  @Column('jsonb', { nullable: true }) media: MessageMedia | null;
  @Column('text', { name: 'key_id', nullable: true }) keyId: string | null;
  @Column('text', { name: 'client_message_id', nullable: true }) clientMessageId: string | null;
  @Column('jsonb', { nullable: true }) metadata: Metadata | null;
  /** Sender of what went out through us; null of what came from the platform, and of what is older than this column. */
  @Column('text', { name: 'sent_by', nullable: true }) sentBy: Sender | null;
  /** Time of the newest message of its chat that an answer knows of. */
  @Column('timestamptz', { name: 'known_at', nullable: true }) knownAt: Date | null;
  /** Domain time: when it goes out, where the send said so. */
  @Column('timestamptz', { name: 'send_at', nullable: true }) sendAt: Date | null;
  /** Real time: when its time had come and it was let go. */
  @Column('timestamptz', { name: 'released_at', nullable: true }) releasedAt: Date | null;
  /** Domain time: until when it waits for its session, where the send said so. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('jsonb', { nullable: true }) failure: MessageFailure | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
  /** Time at which the platform took it, as the event says; the first such event counts. */
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { name: 'delivered_at', nullable: true }) deliveredAt: Date | null;
  @Column('timestamptz', { name: 'read_at', nullable: true }) readAt: Date | null;
  @Column('timestamptz', { name: 'failed_at', nullable: true }) failedAt: Date | null;
  /** Number of times that the sweeper has published the command again. */
  @Column('integer', { name: 'publish_attempts' }) publishAttempts: number;
  /** Time at which the sweeper looks at the row while it is QUEUED; null for messages that no command belongs to. */
  @Column('timestamptz', { name: 'next_publish_at', nullable: true })
  nextPublishAt: Date | null;
}
