import { randomBytes } from 'node:crypto';
import { parseAddress } from '@svc/contracts';
import type { Versions } from '../connections/versions.js';
import { agree, type KeyPair, randomKeyPair } from '../noise/keys.js';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { Refusal } from '../http/refusal.js';
import { bytesOf, child, seconds, SERVER, type Stanza, stanza } from '../wire/nodes.js';
import { advSecretOf, openKeyBundle, unwrapKey, wrapKey } from './code-keys.js';
import { linkDevice, lockRegistration, refuseOldClient } from './linking.js';
import type { Registration } from './registration.js';

const WRAPPED_KEY_BYTES = 80;
const ANSWER_TIMEOUT_MS = 10_000;

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
    private readonly population: Population,
    private readonly versions: Versions,
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
      const advSecret = await this.exchange(person, request, plain(text));
      return linkDevice(this.population, person, request.registration, advSecret);
    });
  }

  private begin(registration: Registration, phone: string, request: Stanza, message: Stanza): void {
    const wrappedKey = bytesOf(child(message, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
    if (wrappedKey?.length !== WRAPPED_KEY_BYTES) {
      return registration.connection.refuse(request, 400, 'bad-request');
    }
    const ref = Buffer.from(`2@${randomBytes(24).toString('base64')}`);
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
    await this.hello(request, phone, await wrapKey(code, ephemeral.public));
    const shared = agree(ephemeral.private, await unwrapKey(code, request.wrappedKey));
    const opened = openKeyBundle(shared, await bundle);
    const { identity } = request.registration;
    if (!opened) throw new Refusal(422, 'CODE_WRONG', 'code is not the one that the device shows');
    if (!opened.companionIdentity.equals(identity) || !opened.phoneIdentity.equals(phone.public)) {
      throw new Refusal(422, 'LINK_REFUSED', 'the device did not prove that it owns the keys it showed');
    }
    return advSecretOf(shared, agree(phone.private, identity), opened.random);
  }

  private async hello({ registration, ref }: CodeRequest, phone: KeyPair, wrapped: Buffer): Promise<void> {
    const attributes = { type: 'link_code_companion_reg', from: SERVER, t: seconds() };
    const id = randomBytes(8).toString('hex');
    const content = stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
      stanza('link_code_pairing_ref', {}, ref),
      stanza('primary_identity_pub', {}, phone.public),
      stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
    ]);
    registration.connection.send(stanza('notification', { ...attributes, id }, [content]));
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

/** Reads a code as people type it: with or without a dash, in any case. */
const plain = (text: string): string => text.replaceAll(/[^a-z\d]/gi, '').toUpperCase();
