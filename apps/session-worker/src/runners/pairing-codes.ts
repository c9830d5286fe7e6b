import { AppError, type PairingCode } from '@svc/contracts';
import { log } from '@svc/service';
import { DeviceNameRefusedError } from '../platform/errors.js';
import type { PlatformSocket } from '../platform/port.js';

/** Longest wait for a code, in ms: the answer has to be on its way before its caller gives up. */
const WAIT_MS = 15_000;

/** A question that waits for a socket. */
interface Question {
  phone: string;
  resolve(code: PairingCode): void;
  reject(error: unknown): void;
}

/** Gets the codes of one session that a person types on the phone instead of scanning another one. */
export class PairingCodes {
  private question: Question | undefined;
  /** Code that was asked for and is not there yet: all callers for the same number wait for it together. */
  private coming: { phone: string; code: Promise<PairingCode> } | undefined;
  private shown: { phone: string; code: PairingCode } | undefined;
  private viewedUntil = 0;
  private round = 0;
  /** True while the socket has not shown a QR code yet: its time is the code's. */
  private isFresh = true;

  constructor(private readonly tag: { sessionId: string }) {}

  /** Says whether a caller waits for a socket that can be asked. */
  get isAwaited(): boolean {
    return this.question !== undefined;
  }

  /** Returns the code that is shown for this number at this moment: every caller gets the same one. */
  shownFor(phone: string): PairingCode | undefined {
    const { shown } = this;
    const fits = shown?.phone === phone && Date.parse(shown.code.expiresAt) > Date.now();
    return fits ? shown.code : undefined;
  }

  /**
   * Asks for the code of the next socket; it replaces the one for another number that a caller waits for.
   * @throws AppError `PLATFORM_UNAVAILABLE` when there is none in time, `QR_CONFLICT` when another number took its place.
   */
  ask(phone: string): Promise<PairingCode> {
    if (this.coming?.phone === phone) return this.coming.code;
    this.refuse(new AppError('QR_CONFLICT', 'A code for another number was asked for meanwhile.'));
    const code = this.next(phone);
    const coming = { phone, code };
    this.coming = coming;
    const forget = (): void => {
      if (this.coming === coming) this.coming = undefined;
    };
    code.then(forget, forget);
    return code;
  }

  private next(phone: string): Promise<PairingCode> {
    return new Promise<PairingCode>((resolve, reject) => {
      const limit = setTimeout(() => this.refuse(), WAIT_MS);
      this.question = {
        phone,
        resolve: (code) => (clearTimeout(limit), resolve(code)),
        reject: (error) => (clearTimeout(limit), reject(error as Error)),
      };
    });
  }

  /** Fetches the code when the socket shows a QR code: only now, and at the first one, the platform can be asked for another kind. */
  async fetch(socket: PlatformSocket, viewedUntil: number): Promise<void> {
    const { question, round, isFresh } = this;
    this.isFresh = false;
    if (!question || !isFresh) return;
    this.question = undefined;
    try {
      const { code, expiresAt } = await socket.requestPairingCode(question.phone);
      if (round !== this.round) throw new Error('The socket is gone.');
      this.viewedUntil = viewedUntil;
      this.shown = { phone: question.phone, code: this.whileViewed({ code, expiresAt }) };
      question.resolve(this.shown.code);
    } catch (error) {
      log().warn({ ...this.tag, err: error }, 'no pairing code');
      const isOurs = error instanceof DeviceNameRefusedError;
      const refusal = isOurs ? 'DEVICE_NAME_REFUSED' : 'PLATFORM_UNAVAILABLE';
      question.reject(new AppError(refusal, undefined, {}, { cause: error }));
    }
  }

  /**
   * Shows another code in place of the one that is shown, which the platform does not take any more; undefined: none. Says whether one was
   * shown.
   */
  replace(code: PairingCode | undefined): boolean {
    if (!this.shown) return false;
    this.shown = code && { phone: this.shown.phone, code: this.whileViewed(code) };
    return true;
  }

  private whileViewed({ code, expiresAt }: PairingCode): PairingCode {
    return { code, expiresAt: new Date(Math.min(Date.parse(expiresAt), this.viewedUntil)).toISOString() };
  }

  /** The socket is gone, and the code with it. */
  forget(): void {
    this.round += 1;
    this.isFresh = true;
    this.shown = undefined;
  }

  /** Ends the wait: there will be no code. */
  refuse(error = new AppError('PLATFORM_UNAVAILABLE')): void {
    this.question?.reject(error);
    this.question = undefined;
  }
}
