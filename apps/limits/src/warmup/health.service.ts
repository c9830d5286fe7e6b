import { Injectable } from '@nestjs/common';
import type {
  Envelope,
  MessageFailedV1,
  MessageReceivedV1,
  OutboundMessageV1,
  SessionDeletedV1,
  SessionEndedV1,
} from '@svc/contracts';
import { HealthRepository } from './health.repository.js';
import { type MishapKind, mishapOf } from './mishap.js';
import { PROGRESS } from './progress.js';

/** This service decides which events count for or against the health of a number. */
@Injectable()
export class HealthService {
  constructor(private readonly health: HealthRepository) {}

  sent({ jobId, to }: OutboundMessageV1): Promise<void> {
    return this.health.progress({ jobId, progress: PROGRESS.SENT, contact: to });
  }

  delivered({ jobId, to }: OutboundMessageV1): Promise<void> {
    return this.health.progress({ jobId, progress: PROGRESS.DELIVERED, contact: to });
  }

  /** A message whose unit comes back to the session never came near the platform, and says nothing of the number. */
  async failed({ jobId, to, failure }: MessageFailedV1): Promise<void> {
    if (failure.givenBack?.includes('session')) return;
    await this.health.progress({ jobId, progress: PROGRESS.FAILED, contact: to });
  }

  /** A contact wrote: an answer, or the question that is answered next. It counts where the number writes to it, too. */
  async received({ tenantId, data }: Envelope<MessageReceivedV1>): Promise<void> {
    if (data.fromMe) return;
    const contact = data.chatId ?? data.remoteJid;
    await this.health.reply({ tenantId, sessionId: data.sessionId, contact });
  }

  /** A connection ended; a planned end does not count. */
  async ended({ id, tenantId, data }: Envelope<SessionEndedV1>, as: MishapKind): Promise<void> {
    const kind = mishapOf(as, data.reason);
    if (kind) await this.health.mishap({ eventId: id, tenantId, sessionId: data.sessionId, kind });
  }

  deleted({ tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.health.end(tenantId, data.sessionId);
  }
}
