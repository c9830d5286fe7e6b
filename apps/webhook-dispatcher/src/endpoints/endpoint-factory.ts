import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Endpoint } from './endpoint.entity.js';
import { domainNow } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { insertTrace } from './endpoint-traces.js';

/** What a caller says about an endpoint; the headers are not sealed yet. */
type NewEndpoint = Pick<Endpoint, 'tenantId' | 'sessionId' | 'name' | 'url' | 'events'> &
  Partial<Pick<Endpoint, 'headers' | 'standardWebhooks' | 'ordering'>>;

/** Brings endpoints into being, with a secret of their own. */
@Injectable()
export class EndpointFactory {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: EndpointSecrets,
    private readonly outbox: OutboxService,
  ) {}

  async create(
    fields: NewEndpoint,
    actor: string | undefined,
  ): Promise<{ endpoint: Endpoint; secret: string }> {
    const { tenantId, sessionId } = fields;
    const id = uuidv7();
    const secret = this.secrets.create();
    const { endpoint, traces } = await this.dataSource.transaction(async (tx) => {
      await this.insert(tx, id, secret, fields);
      // A session has one endpoint: of two calls at once, the second finds what the first has made.
      const where = sessionId === null ? { id } : { tenantId, sessionId };
      const endpoint = await tx.findOneByOrFail(Endpoint, where);
      if (endpoint.id !== id) return { endpoint, traces: [] };
      const now = await domainNow(tx, tenantId);
      return { endpoint, traces: [await insertTrace(tx, endpoint, { change: 'created', actor, now })] };
    });
    this.outbox.publish(traces);
    return { endpoint, secret };
  }

  private async insert(tx: EntityManager, id: string, secret: string, fields: NewEndpoint): Promise<void> {
    const { tenantId } = fields;
    const secretEnc = this.secrets.seal(secret, { id, tenantId });
    const createdAt = (): string => 'svc_now()';
    await tx
      .createQueryBuilder()
      .insert()
      .into(Endpoint)
      .values({
        ...fields,
        id,
        secretEnc,
        headers: this.secrets.sealHeaders(fields.headers ?? {}, { id, tenantId }),
        standardWebhooks: fields.standardWebhooks ?? false,
        ordering: fields.ordering ?? 'CONVERSATION',
        state: 'ACTIVE',
        createdAt,
        version: 1,
        generation: 1,
        consecPerm4xx: 0,
      })
      .orIgnore()
      .execute();
  }
}
