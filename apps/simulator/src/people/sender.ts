import type { Companion } from './companion.js';
import type { Person } from './person.js';

/** Linked device that a message comes from, and its owner. */
export interface Sender {
  person: Person;
  companion: Companion;
}
