import { Injectable } from '@nestjs/common';
import { ReconcileSession, type SetSuspensionV1 } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';

const SET_SQL = `UPDATE session SET suspended = $2 WHERE tenant_id = $1 AND suspended <> $2 RETURNING id`;

/**
 * Suspends the sessions of a tenant: none of their messages is claimed any more. They stay connected, because what a number receives
 * while nobody listens the platform may not keep.
 */
@Injectable()
export class SuspensionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly messaging: Messaging,
  ) {}

  async set({ tenantId, suspended }: SetSuspensionV1): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(SET_SQL, [tenantId, suspended]);
    log().info({ tenantId, suspended, sessions: rows.length }, 'a suspension is set');
    if (suspended) return;
    // Their owners look at what waits; without the command they do so at the next message or login.
    for (const { id: sessionId } of rows)
      await this.messaging.publishCommand(
        sessionId,
        envelopeOf(ReconcileSession, { tenantId }, { sessionId }),
      );
  }
}
