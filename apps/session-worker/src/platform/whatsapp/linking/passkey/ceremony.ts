import type { PasskeyAssertion, PasskeyFailure, PasskeyStage } from '@svc/contracts';
import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { NoAnswerError, PasskeyEndedError, PasskeyInputError, PasskeyStageError } from '../../../errors.js';
import type { PasskeyFailed, PasskeyReport, PasskeyState } from '../../../passkey.js';
import { atStep } from '../../../../steps.js';
import { partsOf, type Stanza } from '../../stanzas/stanzas.js';
import { assertAnswers } from './assertion.js';
import { optionsIn, type PasskeyOptions } from './options.js';
import { DeviceSide, handoffKeyOf, type PhoneSide, readPhoneSide } from './passkey-keys.js';

/** Longest waits for what follows, by stage, in ms; the challenge names its own. */
export const LIMITS_MS = { sent: 60_000, compare: 300_000, finishing: 120_000 } as const;
/** Time for which the platform takes the proof of the secret that was shown, in ms. */
const PROOF_MS = 5 * 60_000;

/** Refusal of the platform to take something. */
export class IqRefusedError extends Error {
  override readonly name = 'IqRefusedError';

  constructor(readonly code: number) {
    super(`The platform refused it: ${code}.`);
  }
}

/** Way of a ceremony to the platform, and to those who watch it. */
export interface CeremonyDoor {
  /**
   * Asks the platform, once.
   * @throws IqRefusedError
   * @throws NoAnswerError
   */
  ask(type: 'get' | 'set', content: Stanza): Promise<Stanza>;
  report(report: PasskeyReport): void;
  /** Keeps the secret that the number is linked with. */
  keepSecret(secret: string): void;
}

// Library patch: passkeys
/**
 * Links a number whose account wants its passkey (platform-protocol.md, 3). Nothing is tried twice: after each failure the person starts
 * again, with another QR code. The secret of the credentials stays until the platform has taken the new one.
 */
export class PasskeyCeremony {
  private state: PasskeyState | undefined;
  private end: PasskeyFailed | { stage: 'linked' } | undefined;
  private handoff: { key: Buffer; until: number } | undefined;
  private device: DeviceSide | undefined;
  private phone: PhoneSide | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly creds: AuthenticationCreds,
    private readonly door: CeremonyDoor,
  ) {}

  /** True from the challenge to the end. */
  get isOpen(): boolean {
    return this.handoff !== undefined && this.end === undefined;
  }

  /** Takes the wish for a passkey. One that comes again replaces the challenge, until that has been answered. */
  async begin(stanza: Stanza): Promise<void> {
    if (this.end || (this.state && this.state.stage !== 'challenge')) return;
    this.handoff = { key: handoffKeyOf(this.creds.advSecretKey), until: performance.now() + PROOF_MS };
    await this.step(async () => {
      const options = optionsIn(stanza) ?? optionsIn(await this.ask('get', 'passkey_request_options'));
      atStep('link-2');
      if (options) this.challenge(options);
      else this.fail('UNREADABLE');
    });
  }

  /**
   * Hands in the answer of the browser.
   * @throws PasskeyInputError
   * @throws PasskeyStageError
   * @throws PasskeyEndedError
   */
  async answer(assertion: PasskeyAssertion): Promise<void> {
    const { options } = this.at('challenge');
    assertAnswers(assertion, options);
    atStep('link-3');
    this.enter('sent', LIMITS_MS.sent);
    await this.step(() => this.sendPrologue(assertion));
    this.assertOpen();
  }

  /** Takes the side of the phone, opens the commitment, and shows the code. */
  async goOn(stanza: Stanza): Promise<void> {
    const { device } = this;
    if (this.end || this.state?.stage !== 'sent' || !device || this.phone) return;
    const phone = readPhoneSide(
      bytesOf(partsOf(stanza).find(({ tag }) => tag === 'primary_ephemeral_identity')),
    );
    if (!phone) return this.fail('UNREADABLE');
    atStep('link-6');
    this.phone = phone;
    await this.step(async () => {
      await this.ask('set', 'companion_nonce', device.nonce);
      atStep('link-7');
      if (!this.end) this.enter('compare', LIMITS_MS.compare, device.codeWith(phone));
    });
  }

  /**
   * Sends the keys of this device: a person has seen the same code on both screens.
   * @throws PasskeyInputError
   * @throws PasskeyStageError
   * @throws PasskeyEndedError
   */
  async confirm(code: string): Promise<void> {
    const { device, phone } = this;
    const isShown = this.at('compare').code === code;
    if (!isShown || !device || !phone) throw new PasskeyInputError('code', 'must be the code that is shown');
    atStep('link-8');
    this.enter('finishing', LIMITS_MS.finishing, code);
    await this.step(async () => {
      await this.ask('set', 'encrypted_pairing_request', device.sealFor(phone, this.creds));
      atStep('link-9');
      this.keepSecret();
    });
    this.assertOpen();
  }

  /** Takes the end of the link before the library does: it may come with the answer to the last question, and needs the new secret. */
  linked(): void {
    if (!this.isOpen) return;
    if (this.state?.stage === 'finishing') this.keepSecret();
    this.finish({ stage: 'linked' });
  }

  /** Ends it: somebody gave it up, or its socket is gone. */
  fail(reason: PasskeyFailure, platformCode?: number): void {
    if (!this.isOpen) return;
    this.finish({ stage: 'failed', reason, ...(platformCode !== undefined && { platformCode }) });
  }

  /** Begins with the challenge, which waits for a person. */
  private challenge({ options, timeoutMs }: PasskeyOptions): void {
    if (this.end) return;
    this.state = { stage: 'challenge', options, expiresAt: new Date() };
    this.enter('challenge', timeoutMs);
  }

  private async sendPrologue(assertion: PasskeyAssertion): Promise<void> {
    const answer = await this.ask('get', 'ref');
    const ref = bytesOf(partsOf(answer).find(({ tag }) => tag === 'ref'))?.toString();
    if (!ref) return this.fail('UNREADABLE');
    if (this.end) return;
    atStep('link-4');
    const device = new DeviceSide(ref);
    this.device = device;
    const { handoff } = this;
    const isProven = handoff !== undefined && performance.now() < handoff.until;
    await this.ask('set', 'passkey_prologue', [
      node('credential_id', Buffer.from(assertion.rawId, 'base64url')),
      node('webauthn_assertion', Buffer.from(JSON.stringify(assertion))),
      node('prologue_payload', device.prologue),
      ...(isProven ? [node('pairing_handoff_proof', device.proofOf(handoff.key))] : []),
    ]);
    atStep('link-5');
  }

  /** Commits the new secret, once. */
  private keepSecret(): void {
    if (!this.end && this.device) this.door.keepSecret(this.device.advSecret.toString('base64'));
  }

  /** Does something; an error of it ends the ceremony. */
  private async step(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof IqRefusedError) this.fail('REFUSED', error.code);
      else this.fail(error instanceof NoAnswerError ? 'NO_ANSWER' : 'UNREADABLE');
    }
  }

  private ask(type: 'get' | 'set', tag: string, content?: unknown): Promise<Stanza> {
    return this.door.ask(type, node(tag, content));
  }

  /** Reads the state of this stage. @throws PasskeyStageError in another one. */
  private at(stage: PasskeyStage): PasskeyState {
    this.assertOpen();
    if (this.state?.stage !== stage) throw new PasskeyStageError();
    return this.state;
  }

  private assertOpen(): void {
    if (this.end?.stage === 'failed') throw new PasskeyEndedError(this.end);
  }

  private enter(stage: PasskeyStage, ms: number, code?: string): void {
    clearTimeout(this.timer);
    const late: PasskeyFailure = stage === 'sent' ? 'PHONE_SILENT' : 'EXPIRED';
    this.timer = setTimeout(() => this.fail(late), ms);
    const options = this.state?.options ?? {};
    this.state = {
      stage,
      options,
      expiresAt: new Date(Date.now() + ms),
      ...(code !== undefined && { code }),
    };
    this.door.report(this.state);
  }

  private finish(end: PasskeyFailed | { stage: 'linked' }): void {
    clearTimeout(this.timer);
    this.end = end;
    this.door.report(end);
    [this.handoff, this.device, this.phone] = [undefined, undefined, undefined];
  }
}

const node = (tag: string, content?: unknown): Stanza =>
  content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content };

/** Reads the content of a stanza as bytes: short texts may have been decoded. */
function bytesOf(stanza: Stanza | undefined): Buffer | undefined {
  const content = stanza?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : undefined;
}
