import { AppError, type PairingCode } from '@svc/contracts';
import { log } from '@svc/service';
import { type PlatformSocket, QR_CODES, QR_LIFETIME_MS } from '../platform/port.js';

/** The answer has to be on its way before whoever asked gives up. */
const WAIT_MS = 15_000;
/** The platform ends a connection that has shown its last QR code, and with it the code that it was asked for. */
const LIFETIME_MS = QR_CODES * QR_LIFETIME_MS - 5_000;

interface Asked {
  phone: string;
  resolve(code: PairingCode): void;
  reject(error: unknown): void;
}

/** The code of one session that a person types on the phone instead of scanning another one. */
export class PairingCodes {
  private asked: Asked | undefined;
  /** What was asked for and is not there yet: who asks for the same waits with the others. */
  private coming: { phone: string; code: Promise<PairingCode> } | undefined;
  private shown: { phone: string; code: PairingCode } | undefined;
  private round = 0;
  /** Whether the socket has not shown a QR code yet: its time is the code's. */
  private isFresh = true;

  constructor(private readonly tag: { sessionId: string }) {}

  /** Whether somebody waits for a socket that can be asked. */
  get isAwaited(): boolean {
    return this.asked !== undefined;
  }

  /** The code that is shown for this number at this moment: whoever asks again gets the same one. */
  shownFor(phone: string): PairingCode | undefined {
    const { shown } = this;
    const fits = shown?.phone === phone && Date.parse(shown.code.expiresAt) > Date.now();
    return fits ? shown.code : undefined;
  }

  /**
   * The code that the next socket is asked for; in place of one for another number that somebody waits for.
   * @throws AppError `PLATFORM_UNAVAILABLE` when there is none in time, `QR_CONFLICT` when another number took its place.
   */
  ask(phone: string): Promise<PairingCode> {
    if (this.coming?.phone === phone) return this.coming.code;
    this.refuse(new AppError('QR_CONFLICT', 'A code for another number was asked for meanwhile.'));
    const code = this.next(phone);
    const coming = { phone, code };
    this.coming = coming;
    const over = (): void => {
      if (this.coming === coming) this.coming = undefined;
    };
    code.then(over, over);
    return code;
  }

  private next(phone: string): Promise<PairingCode> {
    return new Promise<PairingCode>((resolve, reject) => {
      const limit = setTimeout(() => this.refuse(), WAIT_MS);
      this.asked = {
        phone,
        resolve: (code) => (clearTimeout(limit), resolve(code)),
        reject: (error) => (clearTimeout(limit), reject(error as Error)),
      };
    });
  }

  /** The socket shows a QR code: only now, and at the first one, the platform can be asked for another kind. */
  async fetch(socket: PlatformSocket, lookedAtUntil: number): Promise<void> {
    const { asked, round, isFresh } = this;
    this.isFresh = false;
    if (!asked || !isFresh) return;
    this.asked = undefined;
    try {
      const code = await socket.requestPairingCode(asked.phone);
      if (round !== this.round) throw new Error('The socket is gone.');
      const expiresAt = new Date(Math.min(Date.now() + LIFETIME_MS, lookedAtUntil)).toISOString();
      this.shown = { phone: asked.phone, code: { code, expiresAt } };
      asked.resolve(this.shown.code);
    } catch (error) {
      log().warn({ ...this.tag, err: error }, 'no pairing code');
      asked.reject(new AppError('PLATFORM_UNAVAILABLE', undefined, {}, { cause: error }));
    }
  }

  /** The socket is gone, and the code with it. */
  forget(): void {
    this.round += 1;
    this.isFresh = true;
    this.shown = undefined;
  }

  /** There will be none. */
  refuse(error = new AppError('PLATFORM_UNAVAILABLE')): void {
    this.asked?.reject(error);
    this.asked = undefined;
  }
}
