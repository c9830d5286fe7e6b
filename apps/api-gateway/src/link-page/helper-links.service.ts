import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, type PasskeyAssertion, type PasskeyView } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { PasskeyService } from '../sessions/passkey.service.js';
import { type SingleUseLink, SingleUseLinks } from '../single-use/single-use-links.js';
import type { Challenge, HelperLink } from './link-bodies.js';
import { LinkVisits } from './link-visits.service.js';

const PURPOSE = 'give-passkey';

/**
 * This class lets the browser helper answer one challenge: its link is of that challenge alone, and worth nothing for another one, or a second
 * time. The row has a digest of the challenge, which is kept nowhere.
 */
@Injectable()
export class HelperLinks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: SingleUseLinks,
    private readonly visits: LinkVisits,
    private readonly passkeys: PasskeyService,
  ) {}

  /** Makes the link for whoever is at this stage on the page. @throws AppError `PASSKEY_CONFLICT` at another one */
  async make(key: string): Promise<HelperLink> {
    const { tenantId, subject } = await this.visits.openFor(key);
    const passkey = await this.passkeys.get(tenantId, subject);
    if (passkey.stage !== 'challenge')
      throw new AppError('PASSKEY_CONFLICT', undefined, { stage: passkey.stage });
    const order = {
      ...({ purpose: PURPOSE, subject, tenantId, details: { ceremony: ceremonyOf(passkey) } } as const),
      lifeMs: msLeft(passkey),
    };
    const { token, link } = await this.dataSource.transaction((tx) => this.links.make(tx, order));
    return { token, expiresAt: link.expiresAt.toISOString() };
  }

  /** Gives the challenge to the helper, once. */
  async open(token: string): Promise<Challenge> {
    const found = await this.links.find(PURPOSE, token);
    const passkey = await this.passkeyOf(found);
    const { key, link } = await this.dataSource.transaction((tx) =>
      this.links.open(tx, PURPOSE, token, { lifeMs: msLeft(passkey), details: {} }),
    );
    return { key, options: passkey.options, expiresAt: link.expiresAt.toISOString() };
  }

  /** Hands in the answer of the browser; one that was taken ends the link. */
  async answer(key: string, assertion: PasskeyAssertion): Promise<void> {
    const link = await this.links.held(PURPOSE, key);
    if (link.isUsed) throw new AppError('LINK_ENDED', undefined, { reason: 'USED' });
    await this.passkeyOf(link);
    await this.passkeys.answer(link.tenantId, link.subject, assertion);
    await this.links.use(this.dataSource.manager, PURPOSE, link.subject);
  }

  /** Reads the passkey that a link is for. @throws AppError `LINK_ENDED` where another challenge is open, or none */
  private async passkeyOf({ tenantId, subject, details }: SingleUseLink): Promise<PasskeyView> {
    const passkey = await this.passkeys.get(tenantId, subject);
    if (ceremonyOf(passkey) !== details['ceremony'])
      throw new AppError('LINK_ENDED', undefined, { reason: 'REPLACED' });
    return passkey;
  }
}

const ceremonyOf = ({ options }: PasskeyView): string =>
  createHash('sha256').update(String(options['challenge'])).digest('base64url');

const msLeft = ({ expiresAt }: PasskeyView): number => Math.max(1, Date.parse(expiresAt) - Date.now());
