import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { auditFactOf, AuditOutbox, insertAuditFacts } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';

/** Line for the audit log about a change of what a tenant has set. */
export interface AuditLine {
  tenantId: string;
  actor: string;
  action: string;
  details: Record<string, unknown>;
}

/** This service writes changes of what a tenant has set, each with its line for the audit log. */
@Injectable()
export class AuditedChanges {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditOutbox,
  ) {}

  /** Writes a change and its line together. @param change returns whether it has changed anything. @returns the same; the line is written where it has. */
  async write(line: AuditLine, change: (tx: EntityManager) => Promise<boolean>): Promise<boolean> {
    const facts = await this.dataSource.transaction(async (tx) => {
      if (!(await change(tx))) return [];
      const [{ at }] = await tx.query<[{ at: Date }]>('SELECT svc_now($1) AS at', [line.tenantId]);
      const facts = [auditFactOf({ ...line, target: line.tenantId, at })];
      await insertAuditFacts(tx, facts);
      return facts;
    });
    await this.audit.deliver(facts);
    return facts.length > 0;
  }
}
