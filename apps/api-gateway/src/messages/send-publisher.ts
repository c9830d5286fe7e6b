import { Injectable } from '@nestjs/common';
import { SendMessage } from '@svc/contracts';
import { envelopeOf, Messaging } from '@svc/messaging';
import { log } from '@svc/service';
import { type Sendable, sendCommandOf } from './send-command.js';

/** Tells the owner of a session's partition to send a message. */
@Injectable()
export class SendPublisher {
  constructor(private readonly messaging: Messaging) {}

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
