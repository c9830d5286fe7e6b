import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SendMessage } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { log } from '@svc/service';
import { type Sendable, sendCommandOf } from './send-command.js';

/** Tells the owner of a session's partition to send a message. */
@Injectable()
export class SendPublisher implements OnModuleDestroy {
  private readonly underWay = new Set<Promise<boolean>>();

  constructor(private readonly messaging: Messaging) {}

  /** Lets what was accepted go out before the process ends. */
  onModuleDestroy(): Promise<void> {
    return this.settled();
  }

  /** Publishes the command of a row that was just accepted. Nobody waits for it: the row is the acceptance, and the sweeper looks after it. */
  begin(row: Sendable): void {
    const publication = this.publish(row).finally(() => this.underWay.delete(publication));
    this.underWay.add(publication);
  }

  /** Resolves when what was begun before has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /**
   * Publishes the command of a row; harmless when repeated, because its id is the job's.
   * @returns false when NATS did not take it: the row stays QUEUED and the sweeper comes back.
   */
  async publish(row: Sendable): Promise<boolean> {
    const { id, tenantId, sessionId } = row;
    const data = sendCommandOf(row);
    try {
      await this.messaging.publishCommand(sessionId, envelopeOf(SendMessage, { tenantId, id }, data));
      return true;
    } catch (error) {
      log().warn({ jobId: id, err: error }, 'the send command could not be published; the sweeper will');
      return false;
    }
  }
}
