import { Injectable } from '@nestjs/common';
import { type AppError, type FailureCode, RESTRICTION_REASONS } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { CancellationService } from './cancellation.service.js';
import type { Message } from '../messages/message.entity.js';
import { MessageChangesRepository } from '../messages/message-changes.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { type DueMessage, ScheduleRepository } from './schedule.repository.js';
import { ScheduledGate } from './scheduled-gate.js';
import { changes } from '../sending/related-message.js';

const INTERVAL_MS = 500;

/** Refusals that another try a moment later would not mend, and how the message fails by them. */
const REFUSALS: Partial<Record<AppError['code'], FailureCode>> = {
  CONTACT_OPTED_OUT: 'CONTACT_OPTED_OUT',
  SESSION_NOT_CONNECTED: 'SESSION_NOT_CONNECTED',
  RATE_LIMITED: 'RATE_LIMITED',
  PAYMENT_REQUIRED: 'PAYMENT_REQUIRED',
};

/**
 * This class releases messages whose time has come, those of a session in order. Each is checked as a send of that moment is, and fails
 * where that would be refused: whoever wanted it at its time does not want it on another day.
 */
@Injectable()
export class ScheduledSends {
  constructor(
    private readonly schedule: ScheduleRepository,
    private readonly messages: MessagesRepository,
    private readonly changes: MessageChangesRepository,
    private readonly gate: ScheduledGate,
    private readonly cancellation: CancellationService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('scheduled sends', INTERVAL_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    const due = await this.schedule.claim();
    const sessions = [...new Set(due.map(({ sessionId }) => sessionId))];
    await Promise.all(
      sessions.map((id) => this.releaseInOrder(due.filter(({ sessionId }) => sessionId === id))),
    );
  }

  /** Releases the messages of one session. What follows a message that could not be checked waits, too: it must not overtake. */
  private async releaseInOrder(due: DueMessage[]): Promise<void> {
    for (const [place, one] of due.entries()) {
      try {
        if (one.isBehind) return await this.putOff(due.slice(place));
        await this.release(one);
      } catch (error) {
        log().warn({ jobId: one.jobId, err: error }, 'a message whose time has come waits');
        return this.putOff(due.slice(place));
      }
    }
  }

  private putOff(due: DueMessage[]): Promise<void> {
    return this.schedule.putOff(due.map(({ jobId }) => jobId));
  }

  private async release({ tenantId, jobId, isOverdue }: DueMessage): Promise<void> {
    const message = await this.messages.find(tenantId, jobId);
    if (message?.status !== 'QUEUED') return this.schedule.drop(jobId);
    if (isOverdue) return this.end(message, 'EXPIRED');
    if (await this.changesNothing(message)) return this.end(message, 'VALIDATION_FAILED');
    try {
      await this.gate.release(message);
    } catch (error) {
      const { code, meta } = error as AppError;
      const refusal = RESTRICTION_REASONS.find((reason) => reason === meta?.['reason']) ?? REFUSALS[code];
      if (!refusal) throw error;
      await this.end(message, refusal, meta['layer'] as string | undefined);
    }
  }

  /** Says whether the message that it was to edit or delete has been deleted since it was accepted. */
  private async changesNothing({ id, tenantId, relatesTo }: Message): Promise<boolean> {
    if (!relatesTo || !changes(relatesTo.relation)) return false;
    return this.changes.isDeleted(tenantId, relatesTo.messageId, id);
  }

  private async end(message: Message, code: FailureCode, detail?: string): Promise<void> {
    await this.cancellation.end(message, code, detail);
    log().info({ jobId: message.id, code }, 'a message failed at its time');
  }
}
