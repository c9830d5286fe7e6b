import type { PairingCode } from '@svc/contracts';
import { log } from '@svc/service';
import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WABrowserDescription,
} from '@whiskeysockets/baileys';
import type { PlatformListener, SocketClose } from '../../port.js';
import type { PasskeyReport } from '../../passkey.js';
import { atStep } from '../../../steps.js';
import type { LibrarySocket } from '../messages/outgoing.js';
import { partsOf, type Stanza } from '../stanzas/stanzas.js';
import { makePlain } from './device-name.js';
import { askPlatform } from './passkey/ask-platform.js';
import { PasskeyCeremony } from './passkey/ceremony.js';
import { requestPairingCode } from './pairing-code.js';
import { QrCodes } from './qr-codes.js';

/** Names under which the order to draw the QR code anew comes. */
const REDRAWING = ['companion_reg_refresh', 'pair-device-rotate-qr'];
const CODE = 'link_code_companion_reg';
const PASSKEY = 'passkey_prologue_request';
const PHONES_KEY = 'link_code_pairing_wrapped_primary_ephemeral_pub';
/** Longest wait for the end of a link after the phone has answered a typed code, in ms. */
const TYPED_MS = 60_000;

// Library patch: acks-before-login
/**
 * Links the number of one socket: shows QR codes, asks for codes to type, and answers what the platform says meanwhile. The library knows
 * one such notification, takes others for it, and acknowledges none before it knows its number (upstream: WhiskeySockets/Baileys issues
 * 2600, 2737, 2738).
 */
export class Linking {
  readonly passkey: PasskeyCeremony;
  private readonly codes: QrCodes;
  /** Number that a code to type was asked for. */
  private phone: string | undefined;
  /** Time at which the phone answered a typed code: from then on the secret is that of the code. */
  private typedAt = -Infinity;
  private putOff: NodeJS.Timeout | undefined;

  /** @param device description of the device, as the library has it. */
  constructor(
    private readonly sock: LibrarySocket,
    private readonly device: WABrowserDescription,
    private readonly listener: Pick<PlatformListener, 'onQr' | 'onPairingCode' | 'onPasskey'>,
    private readonly end: (close: SocketClose) => void,
  ) {
    const { ws, authState } = sock;
    const keepSecret = (advSecretKey: string): void => void sock.ev.emit('creds.update', { advSecretKey });
    this.codes = new QrCodes(authState.creds, {
      show: (text, expiresAt, isRedrawn) => listener.onQr(text, expiresAt, isRedrawn),
      keepSecret,
      spent: () => this.spent(),
    });
    this.passkey = new PasskeyCeremony(authState.creds, {
      ask: (type, content) => askPlatform(sock, type, content),
      report: (report) => this.report(report),
      keepSecret,
    });
    if (authState.creds.account) return;
    ws.on('CB:iq,type:set,pair-device', (stanza: Stanza) => this.codes.begin(refsIn(stanza)));
    // Before the library, which verifies the end with the secret of that moment.
    ws.prependListener('CB:iq,,pair-success', () => this.linked());
    const library = ws.listeners('CB:notification') as ((stanza: Stanza) => void)[];
    ws.removeAllListeners('CB:notification');
    ws.on('CB:notification', (stanza: Stanza) => {
      if (!hasPhonesKey(stanza)) return this.take(stanza);
      this.typedAt = performance.now();
      for (const handle of library) handle(stanza);
    });
  }

  /**
   * Asks for a code to type on the phone of this number.
   * @throws NoAnswerError
   * @throws DeviceNameRefusedError
   */
  requestPairingCode(phone: string): Promise<PairingCode> {
    this.phone = phone;
    makePlain(this.device);
    return requestPairingCode(this.sock, phone);
  }

  stop(): void {
    this.stopCodes();
    this.passkey.fail('CONNECTION_LOST');
  }

  private linked(): void {
    if (this.passkey.isOpen) atStep('link-10');
    this.passkey.linked();
    this.stopCodes();
  }

  private stopCodes(): void {
    clearTimeout(this.putOff);
    this.codes.stop();
  }

  /** Takes a notification: without an acknowledgement it would come again. */
  private take(stanza: Stanza): void {
    const { id = '', from = '', type = '' } = stanza.attrs;
    if (type === PASSKEY) atStep('link-1');
    const acknowledgement = { tag: 'ack', attrs: { id, to: from, class: 'notification', type } };
    // On a socket that is gone it is not missed.
    this.sock.sendNode(acknowledgement).catch(() => undefined);
    this.follow(type, stanza);
  }

  private follow(type: string, stanza: Stanza): void {
    if (type === PASSKEY) this.askPasskey(stanza);
    if (type === 'crsc_continuation') void this.passkey.goOn(stanza);
    if (type === CODE && childOf(stanza, CODE)?.attrs['stage'] === 'refresh_code') void this.refreshCode();
    const isOrder =
      type === 'companion_reg_refresh' && partsOf(stanza).some(({ tag }) => REDRAWING.includes(tag));
    if (isOrder) this.redraw();
  }

  /** Waits for a passkey: another code would begin another link. */
  private askPasskey(stanza: Stanza): void {
    this.stopCodes();
    void this.passkey.begin(stanza);
  }

  /** Passes on how the link with a passkey goes; when it fails, the socket ends, because only another one has codes to show. */
  private report(report: PasskeyReport): void {
    this.listener.onPasskey(report);
    if (report.stage === 'failed')
      this.end({ next: 'again', reason: 'PASSKEY_FAILED', isMalfunction: false });
  }

  /** Draws the QR code anew, unless a typed code is about to link the number: with its secret, which must stay. */
  private redraw(): void {
    clearTimeout(this.putOff);
    const waitMs = this.typedAt + TYPED_MS - performance.now();
    if (waitMs > 0) this.putOff = setTimeout(() => this.codes.redraw(), waitMs);
    else this.codes.redraw();
  }

  /** Asks for another code in place of the one that is shown. */
  private async refreshCode(): Promise<void> {
    if (this.phone === undefined) return;
    try {
      this.listener.onPairingCode(await requestPairingCode(this.sock, this.phone));
    } catch (error) {
      log().warn({ err: error }, 'no other pairing code');
      this.listener.onPairingCode(undefined);
    }
  }

  /** Ends the socket, which has no more QR codes to show, unless somebody may be typing a code. */
  private spent(): void {
    if (this.phone === undefined) this.end({ next: 'again', reason: 'QR_EXPIRED', isMalfunction: false });
  }
}

const childOf = (stanza: Stanza, tag: string): Stanza | undefined => getBinaryNodeChild(stanza as never, tag);

/** Says whether a notification is the answer of a phone on which a code was typed; an empty one may come before it. */
const hasPhonesKey = (stanza: Stanza): boolean => {
  const message = childOf(stanza, CODE);
  return message !== undefined && childOf(message, PHONES_KEY) !== undefined;
};

/** Lists the references that the platform hands out for QR codes. */
function refsIn(stanza: Stanza): string[] {
  const refs = getBinaryNodeChildren(childOf(stanza, 'pair-device') as never, 'ref');
  return refs.map(({ content }) => Buffer.from(content as Uint8Array | string).toString());
}
