import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import type { Fence } from '../ownership/fence.js';
import { Claims } from './claims.js';
import { Ledger } from './ledger.js';
import type { NewChats } from './new-chats.js';
import { OutgoingFiles } from './outgoing-files.js';
import { ReceiptWriter } from './receipt-writer.js';
import { SessionSender } from './session-sender.js';

/** The ledgers and senders of this process's sessions. */
@Injectable()
export class SessionSenders {
  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
    private readonly claims: Claims,
    private readonly receipts: ReceiptWriter,
    private readonly files: OutgoingFiles,
  ) {}

  ledger(sessionId: string, fence: Fence): Ledger {
    const held = { sessionId, fence, expiryMs: this.config.sendExpiryMs };
    return new Ledger(held, this.dataSource, this.outbox, this.claims, this.receipts);
  }

  sender(ledger: Ledger, newChats: NewChats): SessionSender {
    return new SessionSender(ledger, newChats, this.files, this.config.ackTimeoutMs);
  }
}
import { OutboxService } from '@svc/service';
