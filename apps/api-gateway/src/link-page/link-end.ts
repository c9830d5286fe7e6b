import { Injectable } from '@nestjs/common';
import { AppError, ERROR_CATALOGUE, type SendMessageRequest } from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { SendingService } from '../sending/sending.service.js';
import { type SingleUseLink, SingleUseLinks } from '../single-use/single-use-links.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { NamesOnPages, PURPOSE } from './link-names.js';
import { linkedText } from './link-words.js';

/** Time for which the message may wait for a session that has just been linked, in seconds. */
const WAIT_SECONDS = 3_600;

/** This class ends the link of a page: the number has been linked, and hears by a message of its own who reads and writes on it. */
@Injectable()
export class LinkEnd {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: SingleUseLinks,
    private readonly names: NamesOnPages,
    private readonly subscriptions: SubscriptionsService,
    private readonly sending: SendingService,
    private readonly audit: AuditService,
  ) {}

  /** Takes note that a session has a number now; a repeat changes nothing. */
  async linked(tenantId: string, sessionId: string, phone: string): Promise<void> {
    const link = await this.links.opened(PURPOSE, sessionId);
    if (!link) return;
    // First, because what is cut off here is done once more.
    await this.tell(link, phone);
    await this.dataSource.transaction(async (tx) => {
      if (!(await this.links.use(tx, PURPOSE, sessionId))) return;
      await this.audit.write({ tenantId, actor: 'link', action: 'link_page.used', target: sessionId }, tx);
    });
  }

  /** Has the number write to itself. @throws AppError where a later try may help. */
  private async tell({ tenantId, subject, details, openedAt }: SingleUseLink, phone: string): Promise<void> {
    try {
      const text = linkedText(details['language'], await this.names.of(tenantId));
      const clientMessageId = `link-page:${subject}:${openedAt?.getTime() ?? 0}`;
      const request = {
        ...{ sessionId: subject, to: phone, text, clientMessageId },
        ...{ onDisconnected: 'queue', queueForSeconds: WAIT_SECONDS },
      };
      const subscription = await this.subscriptions.active(tenantId);
      const outcome = await this.sending.send(subscription, request as SendMessageRequest);
      if ('refusal' in outcome) throw outcome.refusal;
    } catch (error) {
      if (!(error instanceof AppError) || isWorthATry(error)) throw error;
      log().warn({ sessionId: subject, code: error.code }, 'a number that was linked is not told so');
    }
  }
}

/** A limit of the day is none that a wait of seconds helps against. */
const isWorthATry = ({ code }: AppError): boolean =>
  code !== 'RATE_LIMITED' && ERROR_CATALOGUE[code].retryable;
