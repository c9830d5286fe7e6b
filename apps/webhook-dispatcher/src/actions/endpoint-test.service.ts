import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppError, type EndpointRef, type WebhookTestResult } from '@svc/contracts';
import { OutboundHttp } from '@svc/outbound-http';
import { DataSource } from 'typeorm';
import { DispatcherConfig } from '../config.js';
import { deliveryBody, deliveryHeaders, postLimits } from '../signing/signed-post.js';
import { domainNow } from '../endpoints/endpoint.repository.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import { EndpointsService } from '../endpoints/endpoints.service.js';

/** Name of the test event; no endpoint can subscribe to it. */
const TEST_EVENT = 'webhook.test';

// A test runs alone, whatever process it runs in. Its mark holds for longer than an attempt may last, should this process not live to end it.
const BEGIN_SQL = `WITH begun AS (
    UPDATE webhook_endpoint SET testing_until = clock_timestamp() + interval '15 seconds'
    WHERE id = $1 AND (testing_until IS NULL OR testing_until <= clock_timestamp()) RETURNING id)
  SELECT id FROM begun`;
const END_SQL = 'UPDATE webhook_endpoint SET testing_until = NULL WHERE id = $1';

/**
 * This service posts a test event to an endpoint, once and without a queue. It is no delivery: it counts for nothing and is stored nowhere.
 */
@Injectable()
export class EndpointTestService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly secrets: EndpointSecrets,
    private readonly http: OutboundHttp,
    private readonly config: DispatcherConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws AppError `ENDPOINT_CONFLICT` while another test of this endpoint is under way. */
  async test({ tenantId, endpointId }: EndpointRef): Promise<WebhookTestResult> {
    await this.endpoints.getRow(tenantId, endpointId);
    const begun = await this.dataSource.query<object[]>(BEGIN_SQL, [endpointId]);
    if (begun.length === 0) throw new AppError('ENDPOINT_CONFLICT', undefined, { endpointId });
    try {
      return await this.post({ tenantId, endpointId });
    } finally {
      await this.dataSource.query(END_SQL, [endpointId]);
    }
  }

  private async post({ tenantId, endpointId }: EndpointRef): Promise<WebhookTestResult> {
    const endpoint = await this.endpoints.getRow(tenantId, endpointId);
    const signing = this.secrets.signing(endpoint, await domainNow(this.dataSource, tenantId));
    const nowMs = Date.now();
    const data = { test: true, endpointId, timestamp: new Date(nowMs).toISOString() };
    const content = { id: randomUUID(), kind: TEST_EVENT, payload: Buffer.from(JSON.stringify(data)) };
    const body = deliveryBody(content);
    const headers = deliveryHeaders(content, body, signing, nowMs);
    const limits = postLimits(this.config.timeoutMs);
    const { status, error, durationMs, head } = await this.http.post(endpoint.url, headers, body, limits);
    return { deliveryId: content.id, status, error, durationMs, responseHead: head.toString('utf8') };
  }
}
