import { hostname } from 'node:os';
import type { OnApplicationBootstrap } from '@nestjs/common';
import {
  type CheckUpReply,
  checkUpOf,
  type DatabaseState,
  STREAM_READERS,
  type StreamReader,
} from '@svc/contracts';
import type { Messaging } from '@svc/messaging';
import type { DataSource } from 'typeorm';
import { envVariables, refusalsWith } from '../config/config.js';
import type { ServiceConfig } from '../config/service-config.js';
import { VERSION } from './version.js';

/** Connections for the leases of an app that owns partitions: renewing, taking and giving back may go on at once. */
export const LEASE_CONNECTIONS = 3;

/** Time for the database to answer, in ms: less than whoever asks waits. */
const DATABASE_LIMIT_MS = 1_500;

interface ServerRow {
  started: Date;
  connections: number;
  loginMayMore: boolean;
}

const SERVER_SQL = `SELECT pg_postmaster_start_time() AS started,
  (SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)::int FROM pg_settings
   WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) AS connections,
  (SELECT rolsuper OR rolcreaterole OR rolbypassrls OR EXISTS (SELECT FROM pg_auth_members
     WHERE member = login.oid AND pg_get_userbyid(roleid) <> current_user)
   FROM pg_roles login WHERE rolname = session_user) AS "loginMayMore"`;

/** Answers `check-up`: how this process finds its configuration, its streams and its database. It shows no value of a variable. */
export class CheckUp implements OnApplicationBootstrap {
  private readonly startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();

  constructor(
    private readonly app: string,
    private readonly messaging: Messaging,
    private readonly config: ServiceConfig,
    private readonly dataSource?: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    this.messaging.answer(checkUpOf(this.app).subject, () => this.reply());
  }

  private async reply(): Promise<CheckUpReply> {
    const [streams, database] = await Promise.all([this.messaging.streams.findings(), this.database()]);
    return {
      process: `${hostname()}-${process.pid}`,
      version: VERSION,
      node: process.versions.node,
      startedAt: this.startedAt,
      production: this.config.mode === 'production',
      refusals: refusalsWith(this.config, { mode: 'production' }),
      keysBeside: this.keysBeside(),
      streams,
      ...(database === undefined ? {} : { database }),
    };
  }

  private keysBeside(): string[] {
    const values = new Map(Object.entries(this.config) as [string, unknown][]);
    return envVariables(this.config.constructor)
      .filter(({ name, property }) => name.endsWith('_PREVIOUS') && String(values.get(property) ?? '') !== '')
      .map(({ name }) => name);
  }

  /** @returns null where the database does not answer in time. */
  private async database(): Promise<DatabaseState | null | undefined> {
    if (!this.dataSource) return undefined;
    const state = this.stateOf(this.dataSource).catch(() => null);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), DATABASE_LIMIT_MS)));
    return Promise.race([state, late]).finally(() => clearTimeout(timer));
  }

  private async stateOf(dataSource: DataSource): Promise<DatabaseState> {
    const [server] = await dataSource.query<[ServerRow]>(SERVER_SQL);
    const askedAt = Date.now();
    const [{ now }] = await dataSource.query<[{ now: Date }]>('SELECT clock_timestamp() AS now');
    const answeredAt = Date.now();
    const readers: StreamReader[] = Object.values(STREAM_READERS);
    const owns = readers.some(({ app, partitioned }) => partitioned && app === this.app);
    return {
      serverStartedAt: server.started.toISOString(),
      connections: server.connections,
      loginMayMore: server.loginMayMore,
      pool: this.config.databasePool + (owns ? LEASE_CONNECTIONS : 0),
      clockAheadMs: aheadOf(now.getTime(), askedAt, answeredAt),
    };
  }
}

/** Computes how far ahead of another clock this one is at least: the other was read somewhere between the two times. */
function aheadOf(other: number, askedAt: number, answeredAt: number): number {
  if (other < askedAt) return askedAt - other;
  return other > answeredAt ? answeredAt - other : 0;
}
