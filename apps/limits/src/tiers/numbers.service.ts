import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Envelope, SessionConnectedV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** This service follows which number a session is linked to: tiers are the numbers', and go where these go. */
@Injectable()
export class NumbersService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Gives the session what its number has reached, and its number what the session was promoted to. */
  async link({ tenantId, occurredAt, data }: Envelope<SessionConnectedV1>): Promise<void> {
    const { sessionId, phone } = data;
    if (phone === null) return;
    await this.dataSource.query('SELECT link_number($1, $2, $3, $4)', [
      tenantId,
      sessionId,
      phone,
      occurredAt,
    ]);
  }

  /** Keeps what the number of a deleted session has reached. */
  async unlink(sessionId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT keep_tier($1)', [sessionId]);
      await tx.query('DELETE FROM linked_number WHERE session_id = $1', [sessionId]);
    });
  }
}
