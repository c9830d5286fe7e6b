import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DryRun,
  type DryRunRefusal,
  type ErrorCode,
  type SendMessageRequest,
  type SubscriptionState,
} from '@svc/contracts';
import { LimitsService } from '../limits/limits.service.js';
import { ContactAliases } from '../messages/contact-aliases.js';
import { outboundMessageOf } from './outbound-message.js';
import { SendingService } from './sending.service.js';

/** Codes of what is wrong for now, and not with the request. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  ...(['SESSION_NOT_CONNECTED', 'RATE_LIMITED', 'QUOTA_CONFLICT'] as const),
]);

/** This class says whether a request would be accepted at this moment, and go out; nothing is sent, counted or written. */
@Injectable()
export class DryRunService {
  constructor(
    private readonly sending: SendingService,
    private readonly limits: LimitsService,
    private readonly aliases: ContactAliases,
  ) {}

  /** @throws AppError where the request is wrong, whenever it is sent. */
  async rehearse(subscription: SubscriptionState, request: SendMessageRequest): Promise<DryRun> {
    const message = outboundMessageOf(subscription.tenantId, request);
    const { tenantId, sessionId, contact } = message;
    const planned = { sessionId, to: await this.aliases.contactOf(tenantId, contact, sessionId) };
    try {
      const [ranked, first] = await this.sending.read(subscription, message, true);
      if (first) return dryRun(planned, null, first.message.id);
      await this.sending.complete(subscription, ranked, message);
      if (message.sendAt) return dryRun(planned, null);
      return dryRun(planned, await this.limits.refusalOf(subscription, ranked.session));
    } catch (error) {
      if (error instanceof AppError && PASSING.has(error.code)) return dryRun(planned, error);
      throw error;
    }
  }
}

function dryRun(
  planned: Pick<DryRun, 'sessionId' | 'to'>,
  refusal: AppError | null,
  duplicateOf: string | null = null,
): DryRun {
  const wouldSend = refusal === null && duplicateOf === null;
  return { status: 'DRY_RUN', wouldSend, ...planned, duplicateOf, refusal: refusal && refusalView(refusal) };
}

function refusalView({ status, code, message, meta }: AppError): DryRunRefusal {
  const { retryAfterSeconds: _, ...shown } = meta;
  const { resetAt, resource } = shown;
  // The next day brings no room for a session.
  const retryAt = typeof resetAt === 'string' && resource === undefined ? resetAt : null;
  return { status, code, message, meta: shown, retryAt };
}
