import type { BotMode } from '@svc/contracts';
import type { LedgerMessage } from './ledger/ledger.js';

/** Messages handed to the socket and not yet acknowledged, per session. */
const WINDOW = 20;
/** Sends in a row without any sign from the platform: not the messages are at fault, then, but the socket. */
const MAX_UNANSWERED = 2;
/**
 * Most messages that are remembered because they were tried. One that ends elsewhere, as by its time, is forgotten when so many others were
 * tried after it; of one that is tried again all the same, the ledger says that something of it may have been handed over.
 */
const MOST_TRIED = 1_000;

/** Tries of a message. */
interface Tries {
  failed: number;
  /** Something may have been handed over, by this process or one before it. */
  begun: boolean;
}

/**
 * Knows where each message of one session stands between its claim and the write of its outcome: claimed, in flight, being written. It is
 * told what happens, and neither waits nor writes itself.
 */
export class SendWindow {
  /** Messages that are about to be handed over, one after the other. */
  private claimed: LedgerMessage[] = [];
  /** Messages that were handed over and not acknowledged, by key id. */
  private readonly inFlight = new Map<string, LedgerMessage>();
  /** Messages that were acknowledged or given up, and are not written yet: they are not claimed again. */
  private readonly inWriting = new Map<string, LedgerMessage>();
  /** Tries of messages that have not ended, by key id; the one of the latest try at the end. */
  private readonly tries = new Map<string, Tries>();
  private unanswered = 0;
  /** Mode of the session, where it has changed since the claim. */
  private mode: BotMode | undefined;

  /** Counts the messages that may be claimed. */
  get room(): number {
    return WINDOW - this.inFlight.size;
  }

  /** Says whether a claim is worth it: one for many messages, not one for each. */
  get isHalfEmpty(): boolean {
    return this.inFlight.size <= WINDOW / 2;
  }

  /** Says whether no message waits for its acknowledgement. */
  get isEmpty(): boolean {
    return this.inFlight.size === 0;
  }

  /** Lists the jobs that may be on their way. */
  get jobIds(): string[] {
    const all = [...this.claimed, ...this.inFlight.values(), ...this.inWriting.values()];
    return all.map(({ jobId }) => jobId);
  }

  /** Enters messages that are about to be handed over, in place of those of the claim before. */
  claim(messages: LedgerMessage[]): void {
    this.claimed = messages;
    if (messages.length === 0) this.mode = undefined;
  }

  /** Takes in that the mode of the session has changed since the claim, or may have. */
  keepTo(mode: BotMode): void {
    this.mode = mode;
  }

  /** Says whether a message that was claimed is of another mode than its session. */
  isOutOfMode({ onlyInMode, isOutOfMode }: LedgerMessage): boolean {
    return isOutOfMode || (onlyInMode !== null && this.mode !== undefined && onlyInMode !== this.mode);
  }

  /** Enters a message that is being handed over. Its acknowledgement may be faster than that. */
  handOver(message: LedgerMessage): void {
    this.triesOf(message.keyId).begun = true;
    this.inFlight.set(message.keyId, message);
  }

  isInFlight({ keyId }: LedgerMessage): boolean {
    return this.inFlight.has(keyId);
  }

  /** The message is not in flight any more. */
  take(keyId: string): LedgerMessage | undefined {
    const message = this.inFlight.get(keyId);
    this.inFlight.delete(keyId);
    return message;
  }

  /** The outcome of the message is being written. */
  beginWrite(message: LedgerMessage): void {
    this.inWriting.set(message.keyId, message);
  }

  /** The outcome is written; or it could not be, and the message is to be claimed again. */
  endWrite(keyId: string): void {
    this.inWriting.delete(keyId);
  }

  /** Says whether something of the message may have been handed over. */
  hasBegun({ keyId, mayBeSent }: LedgerMessage): boolean {
    return this.tries.get(keyId)?.begun ?? mayBeSent;
  }

  /** Counts a try that failed on a socket that works; the last one is number `MAX_TRIES`. */
  countTry({ keyId, mayBeSent }: LedgerMessage): number {
    const tries = this.triesOf(keyId);
    tries.failed += 1;
    // From the second on it was claimed for the first one.
    if (tries.failed === 1 && mayBeSent) tries.begun = true;
    return tries.failed;
  }

  forgetTries(keyId: string): void {
    this.tries.delete(keyId);
  }

  /** Notes a sign of life of the platform. */
  answered(): void {
    this.unanswered = 0;
  }

  /** Counts a send that was left unanswered. Says whether the socket is to blame. */
  countUnanswered(): boolean {
    this.unanswered += 1;
    return this.unanswered >= MAX_UNANSWERED;
  }

  /** The socket is gone: what it has not acknowledged waits for the next one. */
  reset(): void {
    this.inFlight.clear();
    this.unanswered = 0;
  }

  /** Returns the tries of a message that is tried now. */
  private triesOf(keyId: string): Tries {
    const tries = this.tries.get(keyId) ?? { failed: 0, begun: false };
    this.tries.delete(keyId);
    this.tries.set(keyId, tries);
    if (this.tries.size > MOST_TRIED) this.tries.delete(this.tries.keys().next().value as string);
    return tries;
  }
}
