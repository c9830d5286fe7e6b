import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  AssistantSettings,
  type AssistantSettingsReply,
  type EvalsRun,
  parseData,
  type PublishedVersion,
  type SessionRef,
  type SetAssistantSettingsV1,
} from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { ToolsService } from '../tools/tools.service.js';

const READ_SQL = `SELECT a.draft, a.revision, a.publications, a.evals_demanded AS "evalsDemanded", a.evals, v.version, v.settings, v.published_at AS "publishedAt"
  FROM assistant a LEFT JOIN settings_version v ON v.session_id = a.session_id AND v.version = a.version
  WHERE a.session_id = $1 AND a.tenant_id = $2`;
const SET_DRAFT_SQL = `INSERT INTO assistant (session_id, tenant_id, draft, revision)
  SELECT $1, $2, $3, 1 WHERE coalesce($4::integer, 0) = 0 OR EXISTS (SELECT FROM assistant WHERE session_id = $1)
  ON CONFLICT (session_id) DO UPDATE SET draft = $3, revision = assistant.revision + 1
    WHERE assistant.tenant_id = $2 AND assistant.revision = coalesce($4, assistant.revision)
  RETURNING revision`;

interface SettingsRow {
  draft: object;
  revision: number;
  publications: number;
  evalsDemanded: boolean;
  evals: EvalsRun | null;
  version: number | null;
  settings: object;
  publishedAt: Date;
}

/** This service keeps the settings of assistants: a draft of each session, and the versions that were published. */
@Injectable()
export class SettingsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly tools: ToolsService,
  ) {}

  /** Reads the settings of a session; one that nobody has set any for has a draft with all defaults. */
  async get(ref: SessionRef): Promise<AssistantSettingsReply> {
    return this.readIn(this.dataSource.manager, ref);
  }

  /** Reads the settings that hold for a session; undefined where none were published. */
  async published(ref: SessionRef): Promise<PublishedVersion | undefined> {
    return (await this.get(ref)).published;
  }

  /** Replaces the draft. @throws AppError `ASSISTANT_CONFLICT` where it has another revision by now; `VALIDATION_FAILED` where it names what is not there. */
  async setDraft({ tenantId, sessionId, settings, ifRevision }: SetAssistantSettingsV1) {
    await this.tools.assertAll(tenantId, settings.tools);
    const [row] = await this.dataSource.query<unknown[]>(SET_DRAFT_SQL, [
      sessionId,
      tenantId,
      JSON.stringify(settings),
      ifRevision ?? null,
    ]);
    if (!row) throw new AppError('ASSISTANT_CONFLICT');
    return this.get({ tenantId, sessionId });
  }

  /** Reads as `get` does, in a transaction. */
  async readIn(on: EntityManager, { tenantId, sessionId }: SessionRef): Promise<AssistantSettingsReply> {
    const [row] = await on.query<SettingsRow[]>(READ_SQL, [sessionId, tenantId]);
    if (!row) return { draft: new AssistantSettings(), revision: 0 };
    const { draft, revision, publications, version, settings, publishedAt, evalsDemanded, evals } = row;
    return {
      ...{ draft: settingsOf(draft), revision, evalsDemanded },
      ...(evals && { evals }),
      ...(version === null
        ? {}
        : {
            published: {
              ...{ version, settings: settingsOf(settings), publication: publications },
              publishedAt: publishedAt.toISOString(),
            },
          }),
    };
  }
}

/** Reads settings of an earlier release, too: what they lack has its default. */
const settingsOf = (stored: object): AssistantSettings => parseData(AssistantSettings, stored);
