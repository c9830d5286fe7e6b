import { randomBytes } from 'node:crypto';
import { type AuthenticationCreds, buildPairingQRData } from '@whiskeysockets/baileys';
import { describeDevice } from './device-name.js';

/** Lifetime of one QR code, in ms; all of a socket make the three minutes that one view is worth. */
export const QR_LIFETIME_MS = 30_000;
/** Shortest time between two codes that are drawn anew, in ms: the platform must not make us busy. */
const REDRAWING_MS = 1_000;

/** Takes the codes of one socket. */
export interface QrScreen {
  /** Shows a code until `expiresAt`; `isRedrawn`: in place of the one that was just scanned. */
  show(text: string, expiresAt: Date, isRedrawn: boolean): void;
  /** Keeps the secret that a code was drawn with: the phone signs with it. */
  keepSecret(secret: string): void;
  /** The platform gave no more of them. */
  spent(): void;
}

// Library patch: own-qr-codes
/**
 * Draws the QR codes of one socket, one after the other. The library draws its own: from a secret that it has copied, so that a new one never
 * shows, and it ends the socket after the last.
 */
export class QrCodes {
  private refs: string[] = [];
  private ref: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private redrawing: NodeJS.Timeout | undefined;
  private redrawnAt = -Infinity;

  constructor(
    private readonly creds: AuthenticationCreds,
    private readonly screen: QrScreen,
  ) {}

  /** Begins to show codes with these references. */
  begin(refs: string[]): void {
    this.refs = refs;
    this.next();
  }

  /** Draws the code that is shown anew, with another secret and for its full time; at most once a second. */
  redraw(): void {
    if (this.redrawing || this.ref === undefined) return;
    const waitMs = this.redrawnAt + REDRAWING_MS - performance.now();
    if (waitMs > 0) this.redrawing = setTimeout(() => this.redrawNow(), waitMs);
    else this.redrawNow();
  }

  /** Shows no more codes: the number is linked, or the socket is gone. */
  stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.redrawing);
    this.refs = [];
    this.ref = undefined;
  }

  private redrawNow(): void {
    this.redrawing = undefined;
    this.redrawnAt = performance.now();
    this.screen.keepSecret(randomBytes(32).toString('base64'));
    this.draw(true);
  }

  private next(): void {
    this.ref = this.refs.shift();
    if (this.ref === undefined) this.screen.spent();
    else this.draw(false);
  }

  private draw(isRedrawn: boolean): void {
    clearTimeout(this.timer);
    const { noiseKey, signedIdentityKey, advSecretKey } = this.creds;
    const keys = [noiseKey, signedIdentityKey].map((pair) => Buffer.from(pair.public).toString('base64'));
    const [noise = '', identity = ''] = keys;
    const text = buildPairingQRData(this.ref ?? '', noise, identity, advSecretKey, describeDevice());
    this.timer = setTimeout(() => this.next(), QR_LIFETIME_MS);
    this.screen.show(text, new Date(Date.now() + QR_LIFETIME_MS), isRedrawn);
  }
}
