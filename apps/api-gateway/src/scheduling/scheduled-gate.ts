import { Injectable } from '@nestjs/common';
import type { AppError } from '@svc/contracts';
import { SessionsService } from '../sessions/sessions.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { AdmissionService } from '../sending/admission.service.js';
import type { Message } from '../messages/message.entity.js';
import { ScheduleRepository } from './schedule.repository.js';
import { SendPublisher } from '../sending/send-publisher.js';

/** This class releases a message whose time has come: it becomes one like any other. */
@Injectable()
export class ScheduledGate {
  constructor(
    private readonly sessions: SessionsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly admission: AdmissionService,
    private readonly schedule: ScheduleRepository,
    private readonly publisher: SendPublisher,
  ) {}

  /** @throws AppError where a send of this moment would be refused, or cannot be asked about. */
  async release(message: Message): Promise<void> {
    const releasedAt = await this.schedule.release(message.id, await this.admit(message));
    if (releasedAt) await this.publisher.publishOnce(Object.assign(message, { releasedAt }));
  }

  /** @returns from when on the message must not be released any more */
  private async admit(message: Message): Promise<string | undefined> {
    const { tenantId, sessionId, contact, expiresAt } = message;
    const ranked = await this.sessions.withRank(tenantId, sessionId).catch((error: AppError) => {
      if (error.code === 'SESSION_NOT_FOUND') return undefined;
      throw error;
    });
    // The worker says what becomes of messages whose session is gone, and nothing is counted for them.
    if (!ranked) return undefined;
    const subscription = await this.subscriptions.active(tenantId);
    await this.admission.assertWanted(tenantId, contact);
    await this.admission.assertOpen(subscription, ranked, contact, expiresAt !== null);
    const { refusal, writeBefore } = await this.admission.admit(subscription, ranked.session, message);
    if (refusal) throw refusal;
    return writeBefore;
  }
}
