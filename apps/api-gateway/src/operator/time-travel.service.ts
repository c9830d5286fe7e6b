import { Injectable } from '@nestjs/common';
import { AppError, type AgedKey, type AgeKeyV1, type ClockReply } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { GatewayConfig } from '../config.js';
import { SendPermissions } from '../auth/send-permissions.js';

const AGE_SQL = `UPDATE api_key SET created_at = created_at - $2 * interval '1 hour',
    expires_at = expires_at - $2 * interval '1 hour', rotated_at = rotated_at - $2 * interval '1 hour',
    own_end = own_end - $2 * interval '1 hour'
  WHERE kid = $1 RETURNING kid, created_at AS "createdAt", expires_at AS "expiresAt"`;

// The statement reads the offset as it is stored: the difference of two readings of the clock would be off by the time between them.
const CLOCK_SQL = `SELECT svc_now() AS now, coalesce(
    (SELECT offset_ms FROM public.svc_offsets(ARRAY['00000000-0000-0000-0000-000000000000'::uuid])), 0) AS "offsetMs"`;

interface AgedRow {
  kid: string;
  createdAt: Date;
  expiresAt: Date | null;
}

/** This class moves time for tests of rotations and midnights; exists in development mode only. */
@Injectable()
export class TimeTravelService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: GatewayConfig,
    private readonly permissions: SendPermissions,
  ) {}

  async ageKey({ kid, hours }: AgeKeyV1): Promise<AgedKey> {
    this.assertDevelopment();
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[key]] = await this.dataSource.query<[AgedRow[], number]>(AGE_SQL, [kid, hours]);
    if (!key) throw new AppError('API_KEY_NOT_FOUND');
    this.permissions.invalidate(kid);
    return { kid, createdAt: key.createdAt.toISOString(), expiresAt: key.expiresAt?.toISOString() ?? null };
  }

  /** Sets the domain time; null goes back to real time. */
  async setClock(at: string | null): Promise<ClockReply> {
    this.assertDevelopment();
    const offset =
      at === null
        ? '0::bigint'
        : 'round(extract(epoch FROM $1::timestamptz - clock_timestamp()) * 1000)::bigint';
    await this.dataSource.query(`SELECT public.svc_clock_set(${offset})`, at === null ? [] : [at]);
    this.permissions.invalidate();
    const [clock] = await this.dataSource.query<[{ now: Date; offsetMs: string }]>(CLOCK_SQL);
    return { now: clock.now.toISOString(), offsetMs: Number(clock.offsetMs) };
  }

  private assertDevelopment(): void {
    if (this.config.mode !== 'development') throw new AppError('DEVELOPMENT_ONLY');
  }
}
