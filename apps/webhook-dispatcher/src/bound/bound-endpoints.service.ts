import { Injectable } from '@nestjs/common';
import { AddressGuard } from '@svc/outbound-http';
import {
  type BoundEndpointRef,
  type BoundEndpointReply,
  invalidField,
  invalidFields,
  type PutBoundEndpointV1,
} from '@svc/contracts';
import type { AuditLine } from '../endpoints/endpoint-audit.js';
import type { Endpoint } from '../endpoints/endpoint.entity.js';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import { switchEndpoint } from '../endpoints/endpoint-state.js';
import { checkBoundFilter } from '../filters/bound-filter.js';
import { DEFAULT_ASPECTS, heardAfter } from '../filters/hears.js';
import { checkReceiverUrl } from '../endpoints/receiver-url.js';
import { applyFailover } from './failover.js';
import { assertSession } from './session-deletion.js';

const URL_FIELD = 'webhookUrl';
const NAME = 'External bot';

/** This service has the one endpoint that external mode binds to a session: made once, then switched off and on again. */
@Injectable()
export class BoundEndpointsService {
  constructor(
    private readonly rows: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly guard: AddressGuard,
  ) {}

  async get({ tenantId, sessionId }: BoundEndpointRef): Promise<BoundEndpointReply> {
    const endpoint = await this.rows.find({ tenantId, sessionId });
    return endpoint ? this.replyOf(endpoint) : { endpoint };
  }

  /** @throws AppError `VALIDATION_FAILED`, or `SESSION_NOT_FOUND` where the session is deleted. */
  async put(request: PutBoundEndpointV1): Promise<BoundEndpointReply> {
    const { tenantId, sessionId, enabled, url, events, hears, actor } = request;
    if (events) checkBoundFilter(events);
    const existing = await this.rows.find({ tenantId, sessionId });
    if (!existing && !enabled) {
      assertGivesNothing(request);
      return { endpoint: null };
    }
    if (url != null && url !== existing?.url) await checkReceiverUrl(this.guard, url, URL_FIELD);
    const isNew = !existing && (await this.create(request));
    const endpoint = await this.rows.change({ tenantId, sessionId }, actor, (row, now) => {
      if (url) row.url = url;
      if (events) row.events = events;
      row.hears = heardAfter(row.hears, hears);
      switchState(row, request);
      applyFailover(row, request);
      return request.rotateSecret && !isNew ? this.rotate(row, now) : [];
    });
    // It was deleted meanwhile.
    return endpoint ? this.replyOf(endpoint) : this.put(request);
  }

  /** @returns false: another call was faster. */
  private async create(request: PutBoundEndpointV1): Promise<boolean> {
    const { tenantId, sessionId, url, events = [], hears, actor } = request;
    if (url == null) {
      throw invalidField(URL_FIELD, `${URL_FIELD} is required where the session has no endpoint yet`);
    }
    const heard = heardAfter(DEFAULT_ASPECTS, hears);
    const fields = { tenantId, sessionId, name: NAME, url, events, hears: heard };
    return (await this.rows.create(fields, actor, (tx) => assertSession(tx, sessionId))).isNew;
  }

  private rotate(row: Endpoint, now: Date): AuditLine[] {
    this.secrets.rotate(row, now);
    return [{ action: 'webhook_secret.rotated', target: row.sessionId ?? row.id, details: {} }];
  }

  private async replyOf(endpoint: Endpoint): Promise<BoundEndpointReply> {
    const { failoverMinutes: afterMinutes } = endpoint;
    const view = { ...(await this.rows.viewOf(endpoint)), secret: this.secrets.open(endpoint) };
    return { endpoint: view, failover: afterMinutes === null ? null : { afterMinutes } };
  }
}

/** Refuses fields that would have no effect, because there is no endpoint yet that could have them. @throws AppError `VALIDATION_FAILED` */
function assertGivesNothing({ url, events, hears, failover, rotateSecret }: PutBoundEndpointV1): void {
  const given = { [URL_FIELD]: url, events, hears, failover, rotateSecret: rotateSecret || undefined };
  const problems = Object.entries(given)
    .filter(([, value]) => value != null)
    .map(([field]) => ({
      field,
      rule: `${field} has no effect while the session has no endpoint: enable external mode with it`,
    }));
  if (problems.length > 0) throw invalidFields(problems);
}

/**
 * Enables or disables an endpoint, unless a later version of the mode is there already. The version counts how often the session was
 * switched to `MANAGED`: a caller that enables has read it before, and its session changes its mode only while the version still holds; a
 * caller that disables has made it. So of both with one version the one that enables is the later one.
 */
function switchState(row: Endpoint, { enabled, modeVersion }: PutBoundEndpointV1): void {
  if (modeVersion !== undefined) {
    if (enabled ? modeVersion < row.modeVersion : modeVersion <= row.modeVersion) return;
    row.modeVersion = modeVersion;
  }
  switchEndpoint(row, enabled);
}
