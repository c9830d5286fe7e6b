import { Injectable } from '@nestjs/common';
import {
  operatorActor,
  OPERATOR_LOG,
  AppError,
  type AuditFact,
  type PlatformVersionReply,
  type SetPlatformVersionV1,
} from '@svc/contracts';
import { auditFactOf, AuditOutbox, insertAuditFacts } from '@svc/service';
import { WorkerConfig } from '../config.js';
import { ageInDays } from './version-age.js';
import { afterOrder, usualRevision } from './version-state.js';
import { type StateNow, VersionStore } from './version-store.js';

/** Shows the operator the version of the client, and takes orders about it. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly store: VersionStore,
    private readonly config: WorkerConfig,
    private readonly audit: AuditOutbox,
  ) {}

  async get(): Promise<PlatformVersionReply> {
    return replyOf(await this.store.read());
  }

  /**
   * Names the revision of all logins from now on, or lets the sources name it.
   * @throws AppError `VALIDATION_FAILED` where the configuration names one.
   */
  async set({ revision = null, operator }: SetPlatformVersionV1): Promise<PlatformVersionReply> {
    if (this.config.platformVersion !== 'auto') {
      const message = 'PLATFORM_VERSION names the revision; set it to auto to order another one here.';
      throw new AppError('VALIDATION_FAILED', message);
    }
    const facts: AuditFact[] = [];
    const changed = await this.store.change(
      (before, now) => afterOrder(before, revision, now),
      async (tx, now) => {
        const fact = auditFactOf({
          ...{ tenantId: OPERATOR_LOG, actor: operatorActor(operator), at: new Date(now) },
          ...{ action: 'platform_version.set', target: 'platform', details: { revision } },
        });
        facts.push(fact);
        await insertAuditFacts(tx, facts);
      },
    );
    await this.audit.deliver(facts);
    return replyOf(changed);
  }
}

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function replyOf({ state, now }: StateNow): PlatformVersionReply {
  const { pinned, candidate, outage } = state;
  const revision = usualRevision(state);
  return {
    mode: pinned === null ? 'auto' : 'pinned',
    // Nothing was written yet where there is no time of the database.
    ...{ revision, ageDays: ageInDays(revision, now || Date.now()) },
    source: pinned === null ? state.source : 'operator',
    acceptedAt: isoOf(state.acceptedAt),
    candidate: candidate && {
      ...{ revision: candidate.revision, source: candidate.source },
      ...{ foundAt: new Date(candidate.foundAt).toISOString() },
      ...{ sessionId: candidate.trial?.sessionId ?? null, connectedAt: isoOf(candidate.openedAt) },
    },
    outdated: outage && {
      ...{ since: new Date(outage.since).toISOString() },
      ...{ nextTryAt: new Date(outage.nextTryAt).toISOString() },
    },
    refused: state.refused,
    nextReadAt: pinned === null ? new Date(state.nextReadAt).toISOString() : null,
  };
}
