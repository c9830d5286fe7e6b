import { Injectable } from '@nestjs/common';
import {
  AppError,
  LINK_PAGE_SECONDS,
  type LinkPageBody,
  type LinkPageView,
  type SubscriptionState,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { GatewayConfig } from '../config.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SingleUseLinks } from '../single-use/single-use-links.js';
import { NamesOnPages, PURPOSE } from './link-names.js';

/** This class makes the addresses of pages on which the customers of a tenant link their numbers. */
@Injectable()
export class LinkPagesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: SingleUseLinks,
    private readonly names: NamesOnPages,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly config: GatewayConfig,
  ) {}

  /** @throws AppError `LINK_PAGE_NOT_ALLOWED`, `SESSION_NOT_FOUND`, `FORBIDDEN`, `ALREADY_LINKED`, `RATE_LIMITED` */
  async make(
    caller: Caller,
    subscription: SubscriptionState,
    sessionId: string,
    body: LinkPageBody,
  ): Promise<LinkPageView> {
    const { tenantId } = caller;
    const { status, phone } = await this.sessions.owned(tenantId, sessionId);
    await this.names.of(tenantId);
    if (phone !== null) throw new AppError('ALREADY_LINKED', undefined, { status, phone });
    await this.sessions.assertWritable(subscription, sessionId);
    const { reference = null, returnUrl = null, expiresInSeconds = LINK_PAGE_SECONDS } = body;
    const order = {
      ...{ purpose: PURPOSE, subject: sessionId, tenantId },
      ...{ details: { reference, returnUrl }, lifeMs: expiresInSeconds * 1_000 },
    };
    const { token, link } = await this.dataSource.transaction(async (tx) => {
      const made = await this.links.make(tx, order);
      const fact = { tenantId, actor: actorOf(caller), action: 'link_page.created', target: sessionId };
      await this.audit.write(fact, tx);
      return made;
    });
    const base = this.config.publicUrl?.replace(/\/+$/, '') ?? '';
    return {
      address: `${base}/link/${token}`,
      ...{ expiresAt: link.expiresAt.toISOString(), reference, returnUrl },
    };
  }
}
