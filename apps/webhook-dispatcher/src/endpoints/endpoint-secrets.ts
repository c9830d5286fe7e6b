import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox, type SecretPlace } from '@svc/service';
import type { Endpoint } from './endpoint.entity.js';

const placeOf = ({ tenantId, id }: Pick<Endpoint, 'id' | 'tenantId'>): SecretPlace => [
  'webhook_endpoint',
  'secret_enc',
  tenantId,
  id,
];

/** Makes, seals and opens the secrets of endpoints. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly box: SecretBox) {}

  /** 32 random bytes in base64 after the prefix: the same secret also works in Standard Webhooks libraries. */
  create(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  seal(secret: string, endpoint: Pick<Endpoint, 'id' | 'tenantId'>): Buffer {
    return this.box.seal(Buffer.from(secret), placeOf(endpoint));
  }

  open(endpoint: Pick<Endpoint, 'id' | 'tenantId' | 'secretEnc'>): string {
    return this.box.open(endpoint.secretEnc, placeOf(endpoint)).toString();
  }
}
