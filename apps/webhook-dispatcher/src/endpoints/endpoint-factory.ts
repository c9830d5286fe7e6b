import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Endpoint } from './endpoint.entity.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** What a caller says about an endpoint; the headers are not sealed yet. */
type NewEndpoint = Pick<Endpoint, 'tenantId' | 'sessionId' | 'name' | 'url' | 'events'> &
  Partial<Pick<Endpoint, 'headers' | 'standardWebhooks' | 'ordering'>>;

/** Brings endpoints into being, with a secret of their own. */
@Injectable()
export class EndpointFactory {
  constructor(
    @InjectRepository(Endpoint) private readonly endpoints: Repository<Endpoint>,
    private readonly secrets: EndpointSecrets,
  ) {}

  async create(fields: NewEndpoint): Promise<{ endpoint: Endpoint; secret: string }> {
    const { tenantId } = fields;
    const id = uuidv7();
    const secret = this.secrets.create();
    const secretEnc = this.secrets.seal(secret, { id, tenantId });
    const createdAt = (): string => 'svc_now()';
    await this.endpoints
      .createQueryBuilder()
      .insert()
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
    // A session has one endpoint: of two calls at once, the second finds what the first has made.
    const { sessionId } = fields;
    const endpoint = await this.endpoints.findOneByOrFail(
      sessionId === null ? { id } : { tenantId, sessionId },
    );
    return { endpoint, secret };
  }
}
