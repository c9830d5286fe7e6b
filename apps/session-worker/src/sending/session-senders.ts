import { Injectable } from '@nestjs/common';
import { WorkerConfig } from '../config.js';
import { OutgoingFiles } from './files/outgoing-files.js';
import { Ledger, type LedgerScope } from './ledger/ledger.js';
import type { NewChats } from './new-chats.js';
import { ReceiptWriter } from './ledger/receipt-writer.js';
import { SendingService } from './sending.service.js';
import { SessionSender } from './session-sender.js';

/** Makes the senders of this process's sessions. */
@Injectable()
export class SessionSenders {
  constructor(
    private readonly config: WorkerConfig,
    private readonly sending: SendingService,
    private readonly ledger: Ledger,
    private readonly receipts: ReceiptWriter,
    private readonly files: OutgoingFiles,
  ) {}

  sender(scope: LedgerScope, newChats: NewChats): SessionSender {
    const { ledger, receipts, files } = this;
    const { sendExpiryMs: expiryMs, ackTimeoutMs } = this.config;
    const { senders: attached } = this.sending;
    return new SessionSender({ scope, ledger, receipts, newChats, files, attached, expiryMs, ackTimeoutMs });
  }
}
