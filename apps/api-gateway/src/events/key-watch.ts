import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const LIVE_SQL = `SELECT kid FROM api_key WHERE kid = ANY($1)
  AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > svc_now(tenant_id))`;

/** This class checks again the keys of open streams: one question for all of them. */
@Injectable()
export class KeyWatch {
  constructor(private readonly dataSource: DataSource) {}

  /** Finds those of the keys that still work, by the clock of the database as in `KeyVerifier`. */
  async live(kids: string[]): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ kid: string }[]>(LIVE_SQL, [kids]);
    return new Set(rows.map(({ kid }) => kid));
  }
}
