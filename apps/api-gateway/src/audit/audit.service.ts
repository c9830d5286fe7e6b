import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { AuditEntry, Envelope, SessionTierChangedV1 } from '@svc/contracts';
import { type EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditRecord } from './audit-record.entity.js';

/** Something worth a line in a tenant's audit log. Never a secret. */
export interface AuditFact {
  /** Of what is told more than once, so that it is written once; a new one by default. */
  id?: string;
  tenantId: string;
  /** Now by default. */
  at?: Date;
  actor: string;
  action: string;
  target: string;
  reason?: string;
  details?: Record<string, unknown>;
}

const MOST = 1_000;

/** The audit log: written in the transaction of the change where the gateway owns it. */
@Injectable()
export class AuditService {
  constructor(@InjectRepository(AuditRecord) private readonly records: Repository<AuditRecord>) {}

  async write(fact: AuditFact, tx?: EntityManager): Promise<void> {
    await this.insert({ id: uuidv7(), ...fact }, tx);
  }

  /** A tier changed in `limits`; the event's id makes a repeat harmless. */
  async tierChanged({ id, tenantId, data }: Envelope<SessionTierChangedV1>): Promise<void> {
    const { actor, reason, sessionId, previousTier, tier } = data;
    const action = 'warmup_tier.promoted';
    const at = new Date(data.timestamp);
    await this.insert({
      id,
      tenantId,
      at,
      actor,
      action,
      target: sessionId,
      reason,
      details: { previousTier, tier },
    });
  }

  /** Newest first. */
  async list(tenantId: string): Promise<AuditEntry[]> {
    const records = await this.records.find({ where: { tenantId }, order: { seq: 'DESC' }, take: MOST });
    return records.map(({ seq: _, tenantId: __, at, ...entry }) => ({ ...entry, at: at.toISOString() }));
  }

  private async insert(record: Partial<AuditRecord>, tx?: EntityManager): Promise<void> {
    const records = tx?.getRepository(AuditRecord) ?? this.records;
    await records
      .createQueryBuilder()
      .insert()
      .values(record as object)
      .orIgnore()
      .execute();
  }
}
