import { randomBytes } from 'node:crypto';
import { parseAddress } from '@svc/contracts';
import type { Versions } from '../connections/versions.js';
import { agree, type KeyPair, randomKeyPair } from '../noise/keys.js';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import { Refusal } from '../http/refusal.js';
import { bytesOf, child, type Stanza, stanza, textOf } from '../wire/nodes.js';
import { advSecretOf, openKeyBundle, unwrapKey, wrapKey } from './code-keys.js';
import { lockRegistration, refuseOldClient } from './linking.js';
import type { RulesOfLinking } from './linking-rules.js';
import type { Notices } from './notices.js';
import type { Passkeys } from './passkeys.js';
import { orderRedrawing } from './redrawing.js';
import type { Registration } from './registration.js';

const WRAPPED_KEY_BYTES = 80;
const ANSWER_TIMEOUT_MS = 10_000;

/** Type of all notifications about typed codes. */
const CODE_NOTICE = 'link_code_companion_reg';
/** Platform numbers of browsers: others are refused. */
const BROWSERS = [1, 2, 3, 4, 5, 6];

/** Request of a device that shows a code and waits until it is typed. */
interface CodeRequest {
  registration: Registration;
  ref: Buffer;
  wrappedKey: Buffer;
  /** Takes the last message of the device: its keys, sealed. */
  finish?: (bundle: Buffer) => void;
}

/** This class links devices by a code that the device shows and a person types on the phone. The platform never sees the code. */
export class CodeRequests {
  private readonly byPhone = new Map<string, CodeRequest>();

  constructor(
    private readonly versions: Versions,
    private readonly rules: RulesOfLinking,
    private readonly notices: Notices,
    private readonly passkeys: Passkeys,
  ) {}

  /** Takes what a device that is not linked yet says about codes. */
  receive(registration: Registration, request: Stanza, message: Stanza): void {
    const phone = parseAddress(message.attrs.jid)?.user ?? '';
    if (message.attrs.stage === 'companion_hello') this.begin(registration, phone, request, message);
    const bundle = bytesOf(child(message, 'link_code_pairing_wrapped_key_bundle'));
    if (message.attrs.stage !== 'companion_finish' || !bundle) return;
    registration.connection.reply(request);
    this.byPhone.get(phone)?.finish?.(bundle);
  }

  forget(registration: Registration): void {
    for (const [phone, request] of this.byPhone) {
      if (request.registration === registration) this.byPhone.delete(phone);
    }
  }

  /** Links the device that shows the typed code. A wrong code is refused here: the device hears nothing. */
  async type(person: Person, text: string): Promise<Companion> {
    const request = this.byPhone.get(person.phone);
    if (!request?.registration.connection.open) {
      const message = `no device asks to be linked to ${person.phone} by a code`;
      throw new Refusal(404, 'CODE_NOT_REQUESTED', message, { field: 'code' });
    }
    refuseOldClient(this.versions, person, request.registration);
    return lockRegistration(request.registration, 'code', async () => {
      const rules = this.rules.of(person);
      if (rules.refreshCode > 0) this.refresh(person, request);
      const advSecret = await this.exchange(person, request, plain(text));
      // The order comes, and is for later: the secret of the code stays the one that counts.
      const { notices } = this;
      if (rules.refreshOnScan > 0) orderRedrawing(person, request.registration, { rules, notices });
      return this.passkeys.linkOrAsk(person, request.registration, advSecret);
    });
  }

  /** Asks the device for another code in place of the typed one. @throws Refusal always: the typed one links nothing. */
  private refresh(person: Person, { registration }: CodeRequest): never {
    const { refreshCode, forceManualRefresh } = this.rules.of(person);
    this.rules.change(person.phone, { refreshCode: refreshCode - 1 });
    this.byPhone.delete(person.phone);
    const attributes = { stage: 'refresh_code', force_manual_refresh: String(forceManualRefresh) };
    const content = [stanza('link_code_pairing_ref', {}, newRef())];
    this.notices.send(person, registration, CODE_NOTICE, stanza(CODE_NOTICE, attributes, content));
    throw new Refusal(409, 'CODE_REFRESHED', 'the device was asked for another code: type that', {
      field: 'code',
    });
  }

  private begin(registration: Registration, phone: string, request: Stanza, message: Stanza): void {
    const wrappedKey = bytesOf(child(message, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
    if (wrappedKey?.length !== WRAPPED_KEY_BYTES) {
      return registration.connection.refuse(request, 400, 'bad-request');
    }
    if (!this.isPlain(phone, message)) return registration.connection.refuse(request, 400, 'bad-request');
    const ref = newRef();
    // The latest device that asked is the one that the phone shows.
    this.byPhone.set(phone, { registration, ref, wrappedKey });
    const answer = stanza('link_code_companion_reg', { stage: 'companion_hello' }, [
      stanza('link_code_pairing_ref', {}, ref),
    ]);
    registration.connection.reply(request, [answer]);
  }

  private async exchange(person: Person, request: CodeRequest, code: string): Promise<Buffer> {
    const phone = person.device.identity;
    const ephemeral = randomKeyPair();
    const bundle = this.bundleFrom(request);
    bundle.catch(() => undefined);
    await this.hello(person, request, phone, await wrapKey(code, ephemeral.public));
    const shared = agree(ephemeral.private, await unwrapKey(code, request.wrappedKey));
    const opened = openKeyBundle(shared, await bundle);
    const { identity } = request.registration;
    if (!opened) throw new Refusal(422, 'CODE_WRONG', 'code is not the one that the device shows');
    if (!opened.companionIdentity.equals(identity) || !opened.phoneIdentity.equals(phone.public)) {
      throw new Refusal(422, 'LINK_REFUSED', 'the device did not prove that it owns the keys it showed');
    }
    return advSecretOf(shared, agree(phone.private, identity), opened.random);
  }

  /** Says whether a device names itself as the platform wants it: a browser that is known, on a system that is. */
  private isPlain(phone: string, message: Stanza): boolean {
    const platform = Number(textOf(child(message, 'companion_platform_id')));
    const display = textOf(child(message, 'companion_platform_display')) ?? '';
    const system = /^[^()]+ \((.+)\)$/.exec(display)?.[1] ?? '';
    return BROWSERS.includes(platform) && this.rules.of({ phone }).systems.includes(system);
  }

  private async hello(
    person: Person,
    { registration, ref }: CodeRequest,
    phone: KeyPair,
    wrapped: Buffer,
  ): Promise<void> {
    const empty = stanza(CODE_NOTICE, { stage: 'primary_hello' });
    if (this.rules.of(person).precursor) this.notices.send(person, registration, CODE_NOTICE, empty);
    const content = stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
      stanza('link_code_pairing_ref', {}, ref),
      stanza('primary_identity_pub', {}, phone.public),
      stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
    ]);
    this.notices.send(person, registration, CODE_NOTICE, content);
  }

  private bundleFrom(request: CodeRequest): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const expire = (): void =>
        reject(new Refusal(504, 'LINK_TIMEOUT', 'the device did not answer in time', { field: 'code' }));
      const timer = setTimeout(expire, ANSWER_TIMEOUT_MS).unref();
      request.finish = (bundle) => {
        clearTimeout(timer);
        resolve(bundle);
      };
    });
  }
}

const newRef = (): Buffer => Buffer.from(`2@${randomBytes(24).toString('base64')}`);

/** Reads a code as people type it: with or without a dash, in any case. */
const plain = (text: string): string => text.replaceAll(/[^a-z\d]/gi, '').toUpperCase();
