import { Injectable } from '@nestjs/common';
import { WorkerConfig } from '../config.js';
import { Ledger, type LedgerScope } from './ledger.js';
import type { NewChats } from './new-chats.js';
import { OutgoingFiles } from './files/outgoing-files.js';
import { ReceiptWriter } from './receipt-writer.js';
import { SessionSender } from './session-sender.js';

/** Makes the senders of this process's sessions, and knows which of them have an open socket. */
@Injectable()
export class SessionSenders {
  private readonly attached = new Map<string, SessionSender>();

  constructor(
    private readonly config: WorkerConfig,
    private readonly ledger: Ledger,
    private readonly receipts: ReceiptWriter,
    private readonly files: OutgoingFiles,
  ) {}

  /** Makes the sender of a runner. */
  sender(scope: LedgerScope, newChats: NewChats): SessionSender {
    const { attached, ledger, receipts, files } = this;
    const { sendExpiryMs: expiryMs, ackTimeoutMs } = this.config;
    return new SessionSender({ scope, ledger, receipts, newChats, files, attached, expiryMs, ackTimeoutMs });
  }

  /** Lets the sender of a session look for messages; without an open socket it does so by itself at the next login. */
  wake(sessionId: string): void {
    this.attached.get(sessionId)?.wake();
  }
}
