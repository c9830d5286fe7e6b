import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  AssistantSettings,
  type AssistantSettingsReply,
  parseData,
  type PublishAssistantSettingsV1,
  type PublishedVersion,
  type SessionRef,
  type SetAssistantSettingsV1,
} from '@svc/contracts';
import { auditFactOf, AuditOutbox, insertAuditFacts } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';

/** Most versions that are kept of a session: to go back further than that nobody remembers why. */
const VERSIONS_KEPT = 50;

const READ_SQL = `SELECT a.draft, a.revision, v.version, v.settings, v.published_at AS "publishedAt"
  FROM assistant a LEFT JOIN settings_version v ON v.session_id = a.session_id AND v.version = a.version
  WHERE a.session_id = $1 AND a.tenant_id = $2`;
const SET_DRAFT_SQL = `INSERT INTO assistant (session_id, tenant_id, draft, revision)
  SELECT $1, $2, $3, 1 WHERE coalesce($4::integer, 0) = 0 OR EXISTS (SELECT FROM assistant WHERE session_id = $1)
  ON CONFLICT (session_id) DO UPDATE SET draft = $3, revision = assistant.revision + 1
    WHERE assistant.tenant_id = $2 AND assistant.revision = coalesce($4, assistant.revision)
  RETURNING revision`;
const LOCK_SQL = `SELECT draft, revision FROM assistant WHERE session_id = $1 AND tenant_id = $2 FOR UPDATE`;
const NEW_VERSION_SQL = `INSERT INTO settings_version (session_id, tenant_id, version, settings, published_at)
  SELECT $1, $2, coalesce(max(version), 0) + 1, $3, svc_now($2) FROM settings_version WHERE session_id = $1
  RETURNING version`;
const SET_VERSION_SQL = `UPDATE assistant SET version = v.version FROM settings_version v
  WHERE assistant.session_id = $1 AND v.session_id = $1 AND v.version = $2 RETURNING v.version`;
const FORGET_OLD_SQL = `DELETE FROM settings_version v USING assistant a
  WHERE v.session_id = $1 AND a.session_id = $1 AND v.version <> a.version
    AND v.version <= (SELECT max(version) FROM settings_version WHERE session_id = $1) - ${VERSIONS_KEPT}`;

interface SettingsRow {
  draft: object;
  revision: number;
  version: number | null;
  settings: object;
  publishedAt: Date;
}

/** This service keeps the settings of assistants: a draft of each session, and the versions that were published. */
@Injectable()
export class SettingsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditOutbox,
  ) {}

  /** Reads the settings of a session; one that nobody has set any for has a draft with all defaults. */
  async get(ref: SessionRef): Promise<AssistantSettingsReply> {
    return this.read(this.dataSource.manager, ref);
  }

  /** Reads the settings that hold for a session; undefined where none were published. */
  async published(ref: SessionRef): Promise<PublishedVersion | undefined> {
    return (await this.get(ref)).published;
  }

  /** Replaces the draft. @throws AppError `ASSISTANT_CONFLICT` where it has another revision by now. */
  async setDraft({ tenantId, sessionId, settings, ifRevision }: SetAssistantSettingsV1) {
    const [row] = await this.dataSource.query<unknown[]>(SET_DRAFT_SQL, [
      sessionId,
      tenantId,
      JSON.stringify(settings),
      ifRevision ?? null,
    ]);
    if (!row) throw new AppError('ASSISTANT_CONFLICT');
    return this.get({ tenantId, sessionId });
  }

  /** Publishes the draft, or a version that is there already. @throws AppError `ASSISTANT_CONFLICT`. */
  async publish(request: PublishAssistantSettingsV1): Promise<AssistantSettingsReply> {
    const { tenantId, sessionId, version, ifRevision, actor } = request;
    const { facts, reply } = await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<SettingsRow[]>(LOCK_SQL, [sessionId, tenantId]);
      if (!row) throw new AppError('ASSISTANT_CONFLICT', 'There is no draft to publish.');
      if (ifRevision !== undefined && ifRevision !== row.revision) throw new AppError('ASSISTANT_CONFLICT');
      const number = version ?? (await newVersion(tx, { tenantId, sessionId }, row.draft));
      const [rows] = await tx.query<[unknown[], number]>(SET_VERSION_SQL, [sessionId, number]);
      if (rows.length === 0) throw new AppError('ASSISTANT_CONFLICT', `There is no version ${number}.`);
      await tx.query(FORGET_OLD_SQL, [sessionId]);
      const reply = await this.read(tx, { tenantId, sessionId });
      const details = { version: number, mode: reply.published?.settings.mode };
      const [{ at }] = await tx.query<[{ at: Date }]>('SELECT svc_now($1) AS at', [tenantId]);
      const facts = [
        auditFactOf({ tenantId, at, actor, action: 'assistant.published', target: sessionId, details }),
      ];
      await insertAuditFacts(tx, facts);
      return { facts, reply };
    });
    await this.audit.deliver(facts);
    return reply;
  }

  private async read(on: EntityManager, { tenantId, sessionId }: SessionRef) {
    const [row] = await on.query<SettingsRow[]>(READ_SQL, [sessionId, tenantId]);
    if (!row) return { draft: new AssistantSettings(), revision: 0 };
    const { draft, revision, version, settings, publishedAt } = row;
    return {
      ...{ draft: settingsOf(draft), revision },
      ...(version === null
        ? {}
        : { published: { version, settings: settingsOf(settings), publishedAt: publishedAt.toISOString() } }),
    };
  }
}

/** Reads settings of an earlier release, too: what they lack has its default. */
const settingsOf = (stored: object): AssistantSettings => parseData(AssistantSettings, stored);

async function newVersion(tx: EntityManager, { tenantId, sessionId }: SessionRef, draft: object) {
  const values = [sessionId, tenantId, JSON.stringify(draft)];
  const [row] = await tx.query<[{ version: number }]>(NEW_VERSION_SQL, values);
  return row.version;
}
