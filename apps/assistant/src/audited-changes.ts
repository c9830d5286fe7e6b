import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { auditFactOf, AuditOutbox, insertAuditFacts } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';

/** Line for the audit log about a change of what a tenant has set. */
export interface AuditLine {
  tenantId: string;
  actor: string;
  action: string;
  /** Id of what is changed; left out: the tenant. */
  target?: string;
  details: Record<string, unknown>;
}

/** This service writes changes of what a tenant has set, each with its line for the audit log. */
@Injectable()
export class AuditedChanges {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditOutbox,
  ) {}

  /** Writes a change and its line together. @param line undefined: none is written. @param change returns whether it has changed anything. @returns the same; the line is written where it has. */
  async write(
    line: AuditLine | undefined,
    change: (tx: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    let hasChanged = false;
    const facts = await this.dataSource.transaction(async (tx) => {
      hasChanged = await change(tx);
      if (!hasChanged || !line) return [];
      const [{ at }] = await tx.query<[{ at: Date }]>('SELECT svc_now($1) AS at', [line.tenantId]);
      const facts = [auditFactOf({ ...line, target: line.target ?? line.tenantId, at })];
      await insertAuditFacts(tx, facts);
      return facts;
    });
    await this.audit.deliver(facts);
    return hasChanged;
  }
}
