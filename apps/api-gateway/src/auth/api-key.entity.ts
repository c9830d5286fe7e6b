import type { Scope } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyEnv } from './api-key.js';

/** Row of an API key, which never holds the key itself. Times are domain time. */
@Entity('api_key')
export class ApiKey {
  @PrimaryColumn('text') kid: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('bytea') digest: Buffer;
  @Column('smallint', { name: 'pepper_version' }) pepperVersion: number;
  @Column('text') env: KeyEnv;
  @Column('text', { array: true }) scopes: Scope[];
  @Column('text') name: string;
  @Column('text') last4: string;
  /** Session for whose bot it was made; null: for no bot. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  /** When it was replaced last. */
  @Column('timestamptz', { name: 'rotated_at', nullable: true }) rotatedAt: Date | null;
  /** Kid of the first of the keys that have replaced each other down to this one; null: this is the first. */
  @Column('text', { name: 'first_kid', nullable: true }) firstKid: string | null;
  /** Kid of the key that has replaced it last. */
  @Column('text', { name: 'replaced_by', nullable: true }) replacedBy: string | null;
  /** End that it had before it was replaced; null: none, or it was not replaced. */
  @Column('timestamptz', { name: 'own_end', nullable: true }) ownEnd: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('text', { name: 'last_used_ip', nullable: true }) lastUsedIp: string | null;
}
