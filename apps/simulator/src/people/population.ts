import type { Authority } from '../noise/authority.js';
import { LID_DOMAIN, parseJid, PHONE_DOMAIN } from '../wire/jids.js';
import { enchant } from './magic-numbers.js';
import { Person } from './person.js';

/** Shortest and longest number of a subscriber with country code. */
const PLAUSIBLE_PHONE = /^[1-9]\d{6,14}$/;

export const isPlausiblePhone = (phone: string): boolean => PLAUSIBLE_PHONE.test(phone);

/** Everybody the platform knows. */
export class Population {
  private readonly byPhone = new Map<string, Person>();
  private readonly byLid = new Map<string, Person>();
  private readonly dirty = new Set<Person>();
  private listener: () => void = () => undefined;

  constructor(private readonly authority: Authority) {}

  all(): IterableIterator<Person> {
    return this.byPhone.values();
  }

  get(phone: string): Person | undefined {
    return this.byPhone.get(phone);
  }

  /** Makes the person if nobody has this number yet. */
  ensure(phone: string): Person {
    const known = this.byPhone.get(phone);
    if (known) return known;
    const person = new Person(phone, this.authority.secret(`person/${phone}`));
    enchant(person);
    this.byPhone.set(phone, person);
    this.byLid.set(person.lid, person);
    this.touch(person);
    return person;
  }

  /** As `ensure`, and from now on listed among the contacts. */
  ensureContact(phone: string): Person {
    const person = this.ensure(phone);
    person.isContact = true;
    return person;
  }

  /**
   * Whom an address belongs to. Any plausible number is somebody, so that a newcomer can write to it without
   * setting anything up.
   */
  find(jid: string | undefined): { person: Person; device: number } | undefined {
    const address = parseJid(jid);
    if (!address) return undefined;
    const { user, device, domain } = address;
    if (domain === LID_DOMAIN) {
      const person = this.byLid.get(user);
      return person && { person, device };
    }
    if (domain !== PHONE_DOMAIN || !isPlausiblePhone(user)) return undefined;
    return { person: this.ensure(user), device };
  }

  /** Marks a person as changed since the last snapshot. */
  touch(person: Person): void {
    this.dirty.add(person);
    this.listener();
  }

  onChange(listener: () => void): void {
    this.listener = listener;
  }

  takeDirty(): Person[] {
    const people = [...this.dirty];
    this.dirty.clear();
    return people;
  }

  clear(): void {
    this.byPhone.clear();
    this.byLid.clear();
    this.dirty.clear();
    this.listener();
  }
}
