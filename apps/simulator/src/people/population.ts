import { EventEmitter } from 'node:events';
import { parseAddress, phoneAddress } from '@svc/contracts';
import type { Authority } from '../noise/authority.js';
import { isPlausiblePhone } from '../wire/phone-number.js';
import { applyMagicNumber } from './magic-numbers.js';
import { Person } from './person.js';

/** This class holds all people who have a number on the platform. */
export class Population {
  private readonly byPhone = new Map<string, Person>();
  private readonly byLid = new Map<string, Person>();
  private readonly byAlias = new Map<string, Person>();
  private readonly dirty = new Set<Person>();
  /** Emitter of changes of persons. */
  readonly events = new EventEmitter<{ changed: [] }>();

  constructor(private readonly authority: Authority) {}

  all(): IterableIterator<Person> {
    return this.byPhone.values();
  }

  get(phone: string): Person | undefined {
    return this.byPhone.get(phone);
  }

  /** Finds the person with a number, and makes one if the number is free. */
  ensure(phone: string): Person {
    const existing = this.byPhone.get(phone);
    if (existing) return existing;
    const person = new Person(phone, this.authority.secret(`person/${phone}`));
    applyMagicNumber(person);
    this.byPhone.set(phone, person);
    this.byLid.set(person.lid, person);
    this.touch(person);
    return person;
  }

  /** Does the same as `ensure`, and lists the person among the contacts. */
  ensureContact(phone: string): Person {
    const person = this.ensure(phone);
    person.isContact = true;
    return person;
  }

  /** Gives a person other spellings of its number, in place of those that it had. */
  setAliases(person: Person, aliases: readonly string[]): void {
    for (const alias of person.aliases) this.byAlias.delete(alias);
    person.aliases = aliases;
    for (const alias of aliases) this.byAlias.set(alias, person);
  }

  /** Finds whom a look-up of a number tells of: the account may have another spelling of it. */
  lookUp(phone: string): Person | undefined {
    return this.byAlias.get(phone) ?? this.find(phoneAddress(phone))?.person;
  }

  /**
   * Finds whom an address belongs to. Another spelling of a number is no address. Any plausible number is somebody, so that a newcomer can write to it without
   * setting anything up.
   */
  find(jid: string | undefined): { person: Person; device: number } | undefined {
    const address = parseAddress(jid);
    if (!address) return undefined;
    const { user, device, kind } = address;
    if (kind === 'hidden') {
      const person = this.byLid.get(user);
      return person && { person, device };
    }
    if (kind !== 'phone' || !isPlausiblePhone(user) || this.byAlias.has(user)) return undefined;
    return { person: this.ensure(user), device };
  }

  /** Marks a person as changed since the last snapshot. */
  touch(person: Person): void {
    this.dirty.add(person);
    this.events.emit('changed');
  }

  takeDirty(): Person[] {
    const people = [...this.dirty];
    this.dirty.clear();
    return people;
  }

  clear(): void {
    this.byPhone.clear();
    this.byLid.clear();
    this.byAlias.clear();
    this.dirty.clear();
    this.events.emit('changed');
  }
}
