import { askForPreKeys } from '../people/pre-keys.js';
import { sendFirstSync } from './first-sync.js';
import type { QueryContext } from './query-context.js';

/**
 * Delivers to a device from now on: first what has waited for it, then once what a phone sends to a new device. A client asks for it after a
 * login that it called passive; any other login begins with it.
 */
export async function activate({
  person,
  companion,
  delivery,
  population,
}: Pick<QueryContext, 'person' | 'companion' | 'delivery' | 'population'>): Promise<void> {
  delivery.sendBacklog(person, companion);
  askForPreKeys(companion);
  if (!companion.synced) await sendFirstSync(person, companion, delivery);
  companion.synced = true;
  population.touch(person);
}
