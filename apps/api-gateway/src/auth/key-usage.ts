import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';

const FLUSH_MS = 60_000;

// In domain time, as the other times of a key.
const FLUSH_SQL = `UPDATE api_key SET last_used_at = own.at, last_used_ip = own.ip
  FROM (
    SELECT kid, ip, used.at + (svc_now(tenant_id) - clock_timestamp()) AS at
    FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS used (kid, at, ip) JOIN api_key USING (kid)) own
  WHERE api_key.kid = own.kid AND (last_used_at IS NULL OR last_used_at < own.at)`;

/** This class remembers when keys were used and writes it once a minute: never a write per request. */
@Injectable()
export class KeyUsage implements OnModuleDestroy {
  private readonly used = new Map<string, { at: Date; ip: string }>();

  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
  ) {
    tasks.add('key-usage', FLUSH_MS, () => this.flush());
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  note(kid: string, ip: string): void {
    this.used.set(kid, { at: new Date(), ip });
  }

  async flush(): Promise<void> {
    if (this.used.size === 0) return;
    const used = [...this.used];
    const columns = [used.map(([kid]) => kid), used.map(([, u]) => u.at), used.map(([, u]) => u.ip)];
    await this.dataSource.query(FLUSH_SQL, columns);
    // Only what is written is forgotten, and what was noted again meanwhile is not.
    for (const [kid, use] of used) if (this.used.get(kid) === use) this.used.delete(kid);
  }
}
