import { deviceRemovedError } from '../wire/stream-errors.js';
import type { Person } from './person.js';
import type { Population } from './population.js';

/** Removes all linked devices, as a person does in the list of linked devices on the phone. */
export function unlinkAll(population: Population, person: Person): void {
  const companions = [...person.companions.values()];
  person.companions.clear();
  population.touch(person);
  for (const { connection } of companions) connection?.end(deviceRemovedError());
}
