import type { Companion } from './companion.js';
import type { Person } from './person.js';

/** The linked device that a message comes from, and whose it is. */
export interface Sender {
  person: Person;
  companion: Companion;
}
