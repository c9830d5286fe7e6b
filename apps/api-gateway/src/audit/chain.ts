import { createHash } from 'node:crypto';
import type { AuditEntry } from '@svc/contracts';
import stringify from 'safe-stable-stringify';
import type { AuditRecord } from './audit-record.entity.js';

/** The hash before the first entry. */
export const NO_HASH = Buffer.alloc(32);

/** Fields of an audit entry that its hash covers. */
export type ChainedFact = Omit<AuditEntry, 'prevHash' | 'hash'>;

/** Reads these fields from a record. */
export function factOf(record: Omit<AuditRecord, 'seq' | 'prevHash' | 'hash'>): ChainedFact {
  const { id, tenantId, place, at, actor, action, target, reason, details } = record;
  return { id, tenantId, place, at: at.toISOString(), actor, action, target, reason, details };
}

/** Computes the SHA-256 of the hash before and the entry in canonical JSON (RFC 8785): `AuditEntry` says how anybody can do it. */
export function hashOf(prevHash: Buffer, fact: ChainedFact): Buffer {
  return createHash('sha256')
    .update(prevHash)
    .update(stringify(fact) ?? '')
    .digest();
}
