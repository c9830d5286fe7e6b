import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  AssistantPublished,
  type AssistantSettingsReply,
  type AuditFact,
  type Envelope,
  type EvalsRun,
  type PublishAssistantSettingsV1,
  type SessionRef,
} from '@svc/contracts';
import {
  auditFactOf,
  AuditOutbox,
  eventOf,
  insertAuditFacts,
  insertEvents,
  OutboxService,
} from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { SettingsService } from './settings.service.js';

/** Most versions that are kept of a session: to go back further than that nobody remembers why. */
const VERSIONS_KEPT = 50;

const LOCK_SQL = `SELECT a.draft, a.revision, a.version, a.evals_demanded AS "evalsDemanded", a.evals, coalesce(v.settings = a.draft, false) AS "isPublished"
  FROM assistant a LEFT JOIN settings_version v ON v.session_id = a.session_id AND v.version = a.version
  WHERE a.session_id = $1 AND a.tenant_id = $2 FOR UPDATE OF a`;
const NEW_VERSION_SQL = `INSERT INTO settings_version (session_id, tenant_id, version, settings, published_at)
  SELECT $1, $2, coalesce(max(version), 0) + 1, $3, svc_now($2) FROM settings_version WHERE session_id = $1
  RETURNING version`;
const SET_VERSION_SQL = `UPDATE assistant SET version = v.version, publications = publications + 1 FROM settings_version v
  WHERE assistant.session_id = $1 AND v.session_id = $1 AND v.version = $2
  RETURNING assistant.publications AS publication, svc_now(assistant.tenant_id) AS at`;
const FORGET_OLD_SQL = `DELETE FROM settings_version v USING assistant a
  WHERE v.session_id = $1 AND a.session_id = $1 AND v.version <> a.version
    AND v.version <= (SELECT max(version) FROM settings_version WHERE session_id = $1) - ${VERSIONS_KEPT}`;

interface LockedRow {
  draft: object;
  revision: number;
  version: number | null;
  evalsDemanded: boolean;
  evals: EvalsRun | null;
  /** The draft holds already. */
  isPublished: boolean;
}

/** Outcome of a publication. */
interface Publication {
  reply: AssistantSettingsReply;
  facts: AuditFact[];
  events: Envelope[];
}

/** This service publishes settings: the audit log and whoever shows who answers are told of it. */
@Injectable()
export class PublishingService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settings: SettingsService,
    private readonly audit: AuditOutbox,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Publishes the draft, or a version that is there already. What holds already is not published once more: a repeat changes nothing.
   * @throws AppError `ASSISTANT_CONFLICT`
   */
  async publish(request: PublishAssistantSettingsV1): Promise<AssistantSettingsReply> {
    const { reply, facts, events } = await this.dataSource.transaction((tx) => this.publishIn(tx, request));
    this.outbox.publish(events);
    await this.audit.deliver(facts);
    return reply;
  }

  private async publishIn(tx: EntityManager, request: PublishAssistantSettingsV1): Promise<Publication> {
    const { tenantId, sessionId, version, ifRevision } = request;
    const ref = { tenantId, sessionId };
    const [row] = await tx.query<LockedRow[]>(LOCK_SQL, [sessionId, tenantId]);
    assertDraft(row, ifRevision);
    const holding = row.isPublished ? row.version : null;
    const number = version ?? holding ?? (await newVersion(tx, ref, row));
    if (number === row.version) return { reply: await this.settings.readIn(tx, ref), facts: [], events: [] };
    return this.makeHold(tx, request, number);
  }

  private async makeHold(
    tx: EntityManager,
    { tenantId, sessionId, actor }: PublishAssistantSettingsV1,
    version: number,
  ): Promise<Publication> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[set]] = await tx.query<[{ publication: number; at: Date }[], number]>(SET_VERSION_SQL, [
      sessionId,
      version,
    ]);
    if (!set) throw new AppError('ASSISTANT_CONFLICT', `There is no version ${version}.`);
    await tx.query(FORGET_OLD_SQL, [sessionId]);
    const reply = await this.settings.readIn(tx, { tenantId, sessionId });
    const { at, publication } = set;
    const mode = reply.published?.settings.mode ?? 'off';
    const details = { version, mode };
    const fact = auditFactOf({
      ...{ tenantId, at, actor, action: 'assistant.published', target: sessionId, details },
    });
    await insertAuditFacts(tx, [fact]);
    const data = { sessionId, version, mode, publication, timestamp: at.toISOString() };
    const event = eventOf(AssistantPublished, tenantId, data);
    await insertEvents(tx, [event]);
    return { reply, facts: [fact], events: [event] };
  }
}

/** @throws AppError `ASSISTANT_CONFLICT` where there is no draft, or another one by now. */
function assertDraft(row: LockedRow | undefined, ifRevision: number | undefined): asserts row is LockedRow {
  // A row without a draft says only that publishing demands evals.
  if (!row?.revision) throw new AppError('ASSISTANT_CONFLICT', 'There is no draft to publish.');
  if (ifRevision !== undefined && ifRevision !== row.revision) throw new AppError('ASSISTANT_CONFLICT');
}

/** @throws AppError `ASSISTANT_CONFLICT` where evals are demanded and the draft, as it is, has not held in them. */
function assertEvals({ evalsDemanded, evals, revision }: LockedRow): void {
  if (!evalsDemanded || (evals?.revision === revision && evals.failed === 0)) return;
  const found =
    evals?.revision === revision
      ? `${evals.failed} of ${evals.conversations} conversations did not hold`
      : `the draft at revision ${revision} has no run`;
  throw new AppError(
    'ASSISTANT_CONFLICT',
    `Publishing demands evals, and ${found}: svc evals run FILE --report.`,
  );
}

/** Makes a version of the draft. What has held before needs no evals: whoever goes back is in a hurry. */
async function newVersion(
  tx: EntityManager,
  { tenantId, sessionId }: SessionRef,
  locked: LockedRow,
): Promise<number> {
  assertEvals(locked);
  const values = [sessionId, tenantId, JSON.stringify(locked.draft)];
  const [row] = await tx.query<[{ version: number }]>(NEW_VERSION_SQL, values);
  return row.version;
}
