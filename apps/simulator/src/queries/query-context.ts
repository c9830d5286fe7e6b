import type { Connection } from '../connections/connection.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Companion } from '../people/companion.js';
import type { Groups } from '../people/groups.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import type { Stanza } from '../wire/nodes.js';

/** Facts that the answer to a query may depend on. */
export interface QueryContext {
  connection: Connection;
  person: Person;
  companion: Companion;
  population: Population;
  delivery: Delivery;
  groups: Groups;
  /** Says where an account may upload files. */
  mediaConnection(person: Person): Stanza;
}
