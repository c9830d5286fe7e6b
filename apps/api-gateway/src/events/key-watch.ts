import { Injectable } from '@nestjs/common';
import { togetherOrAlone } from '@svc/database';
import { log, refusalWords } from '@svc/service';
import { DataSource } from 'typeorm';

const LIVE_SQL = `SELECT kid, suspended_at IS NOT NULL AS suspended FROM api_key JOIN tenant ON tenant.id = tenant_id
  WHERE kid = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > svc_now(tenant_id))`;

/** This class checks again the keys of open streams: one question for all of them. */
@Injectable()
export class KeyWatch {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Finds those of the keys that work no more, by the clock of the database as in `KeyVerifier`, and why. One that cannot be checked works
   * no more: whoever opens the stream again is checked again.
   */
  async ended(kids: string[]): Promise<Map<string, 'KEY_ENDED' | 'TENANT_SUSPENDED'>> {
    const rows = await togetherOrAlone(
      kids,
      (some) => this.dataSource.query<{ kid: string; suspended: boolean }[]>(LIVE_SQL, [some]),
      (kid, error) => log().error({ kid, err: error, words: refusalWords(error) }, 'a key cannot be checked'),
    );
    const live = new Map(rows.flat().map(({ kid, suspended }) => [kid, suspended]));
    return new Map(
      kids
        .filter((kid) => live.get(kid) !== false)
        .map((kid) => [kid, live.has(kid) ? 'TENANT_SUSPENDED' : 'KEY_ENDED']),
    );
  }
}
