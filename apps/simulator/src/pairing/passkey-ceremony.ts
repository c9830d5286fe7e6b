import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { Refusal } from '../http/refusal.js';
import { agree, randomKeyPair } from '../noise/keys.js';
import type { Person } from '../people/person.js';
import { bytesOf, children, type Stanza, stanza } from '../wire/nodes.js';
import type { LinkingRules } from './linking-rules.js';
import type { Notice, Notices } from './notices.js';
import type { Registration } from './registration.js';
import { problemOfAssertion } from './passkey/assertion.js';
import { type Authenticator, RP_ID } from './passkey/authenticator.js';
import { codeOf, commitmentOf, handoffProof, openPairingRequest } from './passkey/passkey-keys.js';
import { partsOfPrologue, type Prologue, readPrologue } from './passkey/prologue.js';

/** Time for which the proof of the secret that was shown before is taken, in ms. */
const PROOF_MS = 5 * 60_000;
const SECRET_BYTES = 32;

/**
 * Stages of a ceremony: the device was asked; its answer was taken, and the phone goes on; both have the code; the device has sent its keys; it
 * is linked; it will not be.
 */
export const PASSKEY_STAGES = ['asked', 'continued', 'compared', 'finishing', 'linked', 'failed'] as const;
export type PasskeyStage = (typeof PASSKEY_STAGES)[number];

/** Parties of a ceremony, and what they do. */
export interface Parties {
  person: Person;
  registration: Registration;
  rules: LinkingRules;
  notices: Notices;
  authenticator: Authenticator;
  /** Secret that the phone was shown, or that follows from the typed code. */
  advSecret: Buffer;
  /** Links the device, whose new secret is this one. */
  link(advSecret: Buffer): Promise<unknown>;
}

/** This class plays platform and phone where a device is asked for the passkey of the account while it is linked. */
export class PasskeyCeremony {
  stage: PasskeyStage = 'asked';
  /** Name of what the device did wrong, or of what a test wanted to fail. */
  problem: string | undefined;
  /** Code on the screen of the phone. */
  code: string | undefined;
  isProofTaken = false;
  readonly challenge = randomBytes(32).toString('base64url');
  private readonly ref = `2@${randomBytes(24).toString('base64')}`;
  private readonly keys = randomKeyPair();
  private readonly nonce = randomBytes(32);
  private readonly askedAt = Date.now();
  private readonly asked: Notice;
  private continuation: Notice | undefined;
  private prologue: Prologue | undefined;
  private newSecret: Buffer | undefined;
  private isConfirmed = false;

  constructor(private readonly parties: Parties) {
    const { person, registration, rules, notices } = parties;
    const content = rules.optionsMissing ? [] : [this.options()];
    this.asked = notices.send(person, registration, 'passkey_prologue_request', ...content);
  }

  get registration(): Registration {
    return this.parties.registration;
  }

  /** Takes a question of the device; false: it is none of a ceremony. */
  receive(request: Stanza): boolean {
    const { connection } = this.registration;
    for (const part of children(request)) {
      if (part.tag === 'passkey_request_options') connection.reply(request, [this.options()]);
      else if (part.tag === 'ref') connection.reply(request, [stanza('ref', {}, Buffer.from(this.ref))]);
      else if (part.tag === 'passkey_prologue') this.takePrologue(request, part);
      else if (part.tag === 'companion_nonce') this.takeNonce(request, bytesOf(part));
      else if (part.tag === 'encrypted_pairing_request') this.takeRequest(request, bytesOf(part));
      else continue;
      return true;
    }
    return false;
  }

  /** The person says on the phone that the device shows this code. @throws Refusal where the phone shows none, or another one. */
  confirm(code: string): void {
    if (this.code === undefined)
      throw new Refusal(409, 'PASSKEY_NOT_COMPARED', 'the phone shows no code yet');
    if (code !== this.code) throw new Refusal(422, 'PASSKEY_CODE_DIFFERS', 'the phone shows another code');
    this.isConfirmed = true;
    this.finish();
  }

  /** The connection of the device is gone, and the ceremony with it. */
  lose(): void {
    if (this.stage !== 'linked' && this.stage !== 'failed') this.fail('CONNECTION_LOST');
  }

  private options(): Stanza {
    const options = {
      ...{ challenge: this.challenge, timeout: this.parties.rules.challengeMs, rpId: RP_ID },
      ...{ allowCredentials: [], userVerification: 'required', extensions: { uvm: true } },
    };
    return stanza('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
  }

  private takePrologue(request: Stanza, part: Stanza): void {
    const { rules } = this.parties;
    const problem =
      this.problemOfStage('asked', this.asked) ?? this.problemOfPrologue(part) ?? failure(rules, 'prologue');
    if (problem) return this.refuse(request, problem);
    this.stage = 'continued';
    this.registration.connection.reply(request);
    if (rules.failAt !== 'continuation-silent') return this.goOn();
    this.problem = 'CONTINUATION_SILENT';
  }

  private problemOfPrologue(node: Stanza): string | undefined {
    const { authenticator, rules } = this.parties;
    const parts = partsOfPrologue(node);
    if (!parts) return 'CHILDREN_OUT_OF_ORDER';
    if (Date.now() > this.askedAt + rules.challengeMs) return 'CHALLENGE_EXPIRED';
    const wrong =
      problemOfAssertion(parts, this.challenge, authenticator) ??
      this.problemOfProof(parts.payload, parts.proof);
    if (wrong) return wrong;
    this.isProofTaken = parts.proof !== undefined && rules.acceptProof;
    const { ref, registration } = this;
    this.prologue = readPrologue(parts.payload, { ref, deviceType: registration.deviceType });
    return this.prologue ? undefined : 'PROLOGUE_MALFORMED';
  }

  private problemOfProof(payload: Buffer, proof: Buffer | undefined): string | undefined {
    if (!proof) return undefined;
    if (Date.now() > this.askedAt + PROOF_MS) return 'PROOF_TOO_LATE';
    return proof.equals(handoffProof(this.parties.advSecret, payload)) ? undefined : 'PROOF_WRONG';
  }

  /** The phone has the prologue, and shows its own side. */
  private goOn(): void {
    const { person, registration, notices } = this.parties;
    const identity = { publicKey: this.keys.public, nonce: this.nonce };
    const bytes = Buffer.from(proto.PrimaryEphemeralIdentity.encode(identity).finish());
    const content = stanza('primary_ephemeral_identity', {}, bytes);
    this.continuation = notices.send(person, registration, 'crsc_continuation', content);
  }

  private takeNonce(request: Stanza, nonce: Buffer | undefined): void {
    const { prologue } = this;
    const wrong = this.problemOfStage('continued', this.continuation) ?? failure(this.parties.rules, 'nonce');
    if (wrong || !prologue) return this.refuse(request, wrong ?? 'TOO_EARLY');
    const isOpened =
      nonce?.length === 32 && commitmentOf(prologue.identity, nonce).equals(prologue.commitment);
    if (!nonce || !isOpened) return this.refuse(request, 'COMMITMENT_NOT_OPENED');
    this.stage = 'compared';
    this.code = codeOf({ public: this.keys.public, nonce: this.nonce }, nonce);
    this.registration.connection.reply(request);
  }

  private takeRequest(request: Stanza, sealed: Buffer | undefined): void {
    const wrong = this.problemOfStage('compared') ?? failure(this.parties.rules, 'pairing-request');
    const problem = wrong ?? this.problemOfRequest(sealed);
    if (problem) return this.refuse(request, problem);
    this.stage = 'finishing';
    this.registration.connection.reply(request);
    this.finish();
  }

  private problemOfRequest(sealed: Buffer | undefined): string | undefined {
    const { prologue, ref, registration } = this;
    if (!prologue || !sealed) return 'TOO_EARLY';
    const shared = agree(this.keys.private, prologue.public);
    const opened = openPairingRequest(shared, { deviceType: prologue.deviceType, ref }, sealed);
    if (!opened) return 'PAIRING_REQUEST_SEALED_OTHERWISE';
    const keys = [opened.companionPublicKey, opened.companionIdentityKey].map((key) =>
      Buffer.from(key ?? []),
    );
    if (!keys[0]?.equals(registration.noiseKey) || !keys[1]?.equals(registration.identity))
      return 'PAIRING_REQUEST_OF_OTHER_KEYS';
    this.newSecret = Buffer.from(opened.advSecret ?? []);
    return this.newSecret.length === SECRET_BYTES ? undefined : 'SECRET_MISSING';
  }

  /** Links the device as soon as it has sent its keys and the phone has let it. */
  private finish(): void {
    const { newSecret } = this;
    if (this.stage !== 'finishing' || !newSecret || !(this.isConfirmed || this.isProofTaken)) return;
    this.parties.link(newSecret).then(
      () => (this.stage = 'linked'),
      () => this.fail('LINK_REFUSED'),
    );
  }

  /** Says what is wrong with the moment of a message; a device that has not acknowledged what it answers has not waited for it. */
  private problemOfStage(stage: PasskeyStage, notice?: Notice): string | undefined {
    if (this.stage !== stage) return 'TOO_EARLY';
    return notice && !notice.acked ? 'NOT_ACKNOWLEDGED' : undefined;
  }

  private refuse(request: Stanza, problem: string): void {
    this.registration.connection.refuse(request, this.parties.rules.failCode, 'bad-request');
    this.fail(problem);
  }

  private fail(problem: string): void {
    this.stage = 'failed';
    this.problem = problem;
  }
}

const failure = ({ failAt }: LinkingRules, at: LinkingRules['failAt']): string | undefined =>
  failAt === at ? 'AS_WANTED' : undefined;
