import { Refusal } from '../http/refusal.js';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Stanza } from '../wire/nodes.js';
import { linkDevice, lockRegistration } from './linking.js';
import type { RulesOfLinking } from './linking-rules.js';
import type { Notices } from './notices.js';
import type { Registration } from './registration.js';
import { Authenticator } from './passkey/authenticator.js';
import { PasskeyCeremony } from './passkey-ceremony.js';

/** This class asks devices for the passkey of an account where its rules want it. */
export class Passkeys {
  private readonly byPhone = new Map<string, PasskeyCeremony>();
  private readonly authenticators = new Map<string, Authenticator>();

  /** @param begun is told of a device that is asked: its connection lives on meanwhile. */
  constructor(
    private readonly population: Population,
    private readonly rules: RulesOfLinking,
    private readonly notices: Notices,
    private readonly begun: (registration: Registration) => void,
  ) {}

  /** Links a device, or asks it for the passkey first. @throws Refusal `PASSKEY_REQUIRED` where it is asked: it is linked later, if at all. */
  async linkOrAsk(person: Person, registration: Registration, advSecret: Buffer): Promise<Companion> {
    const rules = this.rules.of(person);
    if (rules.passkey === 'off') return linkDevice(this.population, person, registration, advSecret);
    const link = (newSecret: Buffer): Promise<Companion> =>
      lockRegistration(registration, 'passkey', () => this.link(person, registration, newSecret));
    const authenticator = this.authenticatorOf(person.phone);
    const { notices } = this;
    const parties = { person, registration, rules, notices, authenticator, advSecret, link };
    this.byPhone.set(person.phone, new PasskeyCeremony(parties));
    if (rules.keepsConnection) this.begun(registration);
    throw new Refusal(409, 'PASSKEY_REQUIRED', 'the device was asked for the passkey of the account');
  }

  /** Takes what a device says that is not linked; false: it is nothing about passkeys. */
  receive(registration: Registration, request: Stanza): boolean {
    const own = [...this.byPhone.values()].find((ceremony) => ceremony.registration === registration);
    return own?.receive(request) ?? false;
  }

  /** The latest ceremony of a number. @throws Refusal `PASSKEY_NOT_ASKED` */
  of(phone: string): PasskeyCeremony {
    const ceremony = this.byPhone.get(phone);
    if (!ceremony)
      throw new Refusal(404, 'PASSKEY_NOT_ASKED', `no device was asked for a passkey of ${phone}`);
    return ceremony;
  }

  /** The passkey of a number: the same one in each ceremony. */
  authenticatorOf(phone: string): Authenticator {
    const known = this.authenticators.get(phone) ?? new Authenticator();
    this.authenticators.set(phone, known);
    return known;
  }

  forget(registration: Registration): void {
    for (const ceremony of this.byPhone.values()) if (ceremony.registration === registration) ceremony.lose();
  }

  clear(): void {
    this.byPhone.clear();
    this.authenticators.clear();
  }

  private async link(person: Person, registration: Registration, advSecret: Buffer): Promise<Companion> {
    const companion = await linkDevice(this.population, person, registration, advSecret);
    if (this.rules.of(person).passkey === 'once') this.rules.change(person.phone, { passkey: 'off' });
    return companion;
  }
}
