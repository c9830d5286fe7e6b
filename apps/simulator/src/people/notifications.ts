import { type Attributes, seconds, SERVER, type Stanza, stanza } from '../wire/nodes.js';
import type { Person } from './person.js';

/** Sends a notification of the platform to all active devices of an account. */
export function notifyDevices({ companions }: Person, attributes: Attributes, content: Stanza): void {
  const node = stanza('notification', { ...attributes, from: SERVER, t: seconds() }, [content]);
  for (const { active, connection } of companions.values()) if (active) connection?.send(node);
}
