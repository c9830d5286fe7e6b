import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { HIDDEN_VALUE, invalidField, NEW_SECRET_HOURS } from '@svc/contracts';
import { type SealedTable, SecretBox, type SecretPlace } from '@svc/service';
import type { Signing } from '../signing/signed-post.js';
import type { Endpoint, PreviousSecret } from './endpoint.entity.js';

type EndpointRow = Pick<Endpoint, 'id' | 'tenantId'>;

/**
 * Time that a replaced secret still signs, in the headers that can carry two signatures, and that a receiver is given to learn the new
 * one, in ms.
 */
const OVERLAP_MS = NEW_SECRET_HOURS * 3_600_000;
/** Most secrets that sign at the same time, should a tenant rotate again and again. */
const MAX_SECRETS = 5;

/** Row of an endpoint as the table has it. */
interface SealedRow {
  id: string;
  tenant_id: string;
  secret_enc: Buffer;
  previous_secrets: PreviousSecret[];
  headers: Record<string, string>;
}

const placeOf = ({ tenantId, id }: EndpointRow, column: string, ...within: string[]): SecretPlace => [
  'webhook_endpoint',
  column,
  tenantId,
  id,
  ...within,
];

/** This class makes, seals and opens the secrets of endpoints: those that sign, and the values of custom headers. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly box: SecretBox) {}

  /** Makes a secret of 32 random bytes in base64 after the prefix: the same secret also works in Standard Webhooks libraries. */
  create(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  seal(secret: string, endpoint: EndpointRow): Buffer {
    return this.box.seal(Buffer.from(secret), placeOf(endpoint, 'secret_enc'));
  }

  open(endpoint: EndpointRow & Pick<Endpoint, 'secretEnc'>): string {
    return this.openSecret(endpoint, endpoint.secretEnc);
  }

  /** Puts a new secret in the place of the one that signs; that one becomes a previous one for a while. */
  rotate(endpoint: Endpoint, now: Date): string {
    const secret = this.create();
    const until = new Date(now.getTime() + OVERLAP_MS);
    const previous = { sealed: endpoint.secretEnc.toString('base64'), until: until.toISOString() };
    endpoint.previousSecrets = [previous, ...validSecrets(endpoint, now)].slice(0, MAX_SECRETS - 1);
    endpoint.secretEnc = this.seal(secret, endpoint);
    endpoint.newSecretUntil = until;
    return secret;
  }

  /**
   * Seals custom headers. A hidden value, as endpoints are shown with, keeps what is stored under that name.
   * @throws AppError `VALIDATION_FAILED` where nothing is.
   */
  sealHeaders(
    headers: Record<string, string>,
    endpoint: EndpointRow,
    stored: Record<string, string> = {},
  ): Record<string, string> {
    const sealed = Object.entries(headers).map(([name, value]) => {
      if (value !== HIDDEN_VALUE) return [name, this.sealHeader(endpoint, name, value)];
      const current = Object.hasOwn(stored, name) ? stored[name] : undefined;
      if (current !== undefined) return [name, current];
      throw invalidField(
        'headers',
        `headers ${JSON.stringify(name)}: ${HIDDEN_VALUE} keeps a stored value, and none is`,
      );
    });
    return Object.fromEntries(sealed) as Record<string, string>;
  }

  /**
   * Opens what signs and accompanies the attempts of an endpoint at this moment.
   * @throws Error where one of its secrets does not open.
   */
  signing(endpoint: Endpoint, now: Date): Signing {
    const secret = this.open(endpoint);
    return {
      secret,
      standardSecrets: this.standardSecrets(endpoint, secret, now),
      headers: this.openHeaders(endpoint),
    };
  }

  /** Describes the table whose secrets are sealed anew when the key has changed. */
  get table(): SealedTable {
    return {
      ...{ table: 'webhook_endpoint', key: ['id'], where: 'true' },
      sealed: { secret_enc: 'bytea', previous_secrets: 'jsonb', headers: 'jsonb' },
      columns: ['tenant_id'],
      sealAnew: (row) => this.sealAnew(row as unknown as SealedRow),
    };
  }

  private sealAnew({
    id,
    tenant_id,
    secret_enc,
    previous_secrets,
    headers,
  }: SealedRow): Record<string, unknown> | undefined {
    const endpoint = { id, tenantId: tenant_id };
    let isForeign = false;
    const reseal = (sealed: Buffer, place: SecretPlace): Buffer => {
      const anew = this.box.reseal(sealed, place);
      isForeign ||= anew !== undefined;
      return anew ?? sealed;
    };
    const resealText = (sealed: string, place: SecretPlace): string =>
      reseal(Buffer.from(sealed, 'base64'), place).toString('base64');
    const place = placeOf(endpoint, 'secret_enc');
    const changed = {
      secret_enc: reseal(secret_enc, place),
      previous_secrets: JSON.stringify(
        previous_secrets.map((one) => ({ ...one, sealed: resealText(one.sealed, place) })),
      ),
      headers: JSON.stringify(
        Object.fromEntries(
          Object.entries(headers).map(([name, sealed]) => [
            name,
            resealText(sealed, placeOf(endpoint, 'headers', name)),
          ]),
        ),
      ),
    };
    return isForeign ? changed : undefined;
  }

  private standardSecrets(endpoint: Endpoint, secret: string, now: Date): string[] {
    if (!endpoint.standardWebhooks) return [];
    const previous = validSecrets(endpoint, now).map(({ sealed }) => Buffer.from(sealed, 'base64'));
    return [secret, ...previous.map((sealed) => this.openSecret(endpoint, sealed))];
  }

  private openSecret(endpoint: EndpointRow, sealed: Buffer): string {
    return this.box.open(sealed, placeOf(endpoint, 'secret_enc')).toString();
  }

  private sealHeader(endpoint: EndpointRow, name: string, value: string): string {
    return this.box.seal(Buffer.from(value), placeOf(endpoint, 'headers', name)).toString('base64');
  }

  private openHeaders(endpoint: Endpoint): Record<string, string> {
    const opened = Object.entries(endpoint.headers).map(([name, sealed]) => {
      const value = this.box.open(Buffer.from(sealed, 'base64'), placeOf(endpoint, 'headers', name));
      return [name, value.toString()];
    });
    return Object.fromEntries(opened) as Record<string, string>;
  }
}

function validSecrets({ previousSecrets }: Endpoint, now: Date): PreviousSecret[] {
  return previousSecrets.filter(({ until }) => new Date(until) > now);
}
