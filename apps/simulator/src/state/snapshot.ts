import { Companion, type CompanionState, type QueuedStanza } from '../people/companion.js';
import type { Faults } from '../people/faults.js';
import type { ReceivedMessage, SentMessage } from '../people/messages.js';
import type { Behaviour, Collection, Person } from '../people/person.js';
import type { Restrictions } from '../people/restrictions.js';
import type { Population } from '../people/population.js';
import type { PreKey } from '../signal/key-bundle.js';
import type { SignalDeviceState } from '../signal/signal-device.js';

type SavedStanza = Omit<QueuedStanza, 'sent'>;

interface SavedPerson {
  phone: string;
  name?: string;
  aliases?: readonly string[];
  registered: boolean;
  isAccount: boolean;
  isContact: boolean;
  behaviour: Behaviour;
  faults?: Faults;
  restrictions?: Restrictions;
  nextDevice: number;
  signal?: SignalDeviceState;
  companions: (CompanionState & { queue: SavedStanza[] })[];
  collections: [string, Collection][];
  pending: [string, number][];
  received: ReceivedMessage[];
  sent: SentMessage[];
}

/** Writes a person as one line of text. */
export function writePerson(person: Person): string {
  const { phone, name, aliases, registered, isAccount, isContact, behaviour, nextDevice } = person;
  const { faults, restrictions } = person;
  const plain: Omit<SavedPerson, 'companions' | 'collections'> = {
    ...{ phone, name, aliases, registered, isAccount, isContact, behaviour, nextDevice },
    ...{ faults, restrictions },
    signal: person.hasDevice ? person.device.save() : undefined,
    pending: [...person.pending],
    received: person.received,
    sent: [...person.sent.values()],
  };
  // The search for bytes is made only in values that have some.
  return withFields(JSON.stringify(plain), {
    companions: `[${[...person.companions.values()].map(writeCompanion).join()}]`,
    collections: JSON.stringify([...person.collections], bytesToText),
  });
}

/** Adds fields to the text of an object that has some. */
const withFields = (object: string, fields: Record<string, string>): string =>
  `${object.slice(0, -1)},${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join()}}`;

/** Puts a saved person into the population. Queued stanzas are joined to the messages of their authors afterwards. */
export function readPerson(line: string, population: Population): void {
  const saved = JSON.parse(line, textToBytes) as SavedPerson;
  const person = population.ensure(saved.phone);
  const { name, registered, isAccount, isContact, behaviour, nextDevice } = saved;
  Object.assign(person, { name, registered, isAccount, isContact, nextDevice });
  population.setAliases(person, saved.aliases ?? []);
  Object.assign(person.behaviour, behaviour);
  Object.assign(person.faults, saved.faults);
  Object.assign(person.restrictions, saved.restrictions);
  if (saved.signal) person.device.restore(saved.signal);
  for (const state of saved.companions) person.companions.set(state.device, restoreCompanion(state));
  for (const [key, collection] of saved.collections) person.collections.set(key, collection);
  for (const [key, count] of saved.pending) person.pending.set(key, count);
  for (const message of saved.received) person.addReceived(message);
  for (const message of saved.sent) person.sent.set(message.id, message);
}

/** Joins each queued stanza to the message of its author: they must be one object again, so that a receipt shows in both. */
export function joinQueues(population: Population): void {
  for (const person of population.all()) {
    for (const companion of person.companions.values()) {
      for (const item of companion.queue.values()) {
        const author = item.source && population.get(item.source.phone);
        item.sent = author?.sent.get(item.node.attrs.id ?? '');
      }
    }
  }
}

function writeCompanion(companion: Companion): string {
  const { device, name, noiseKey, identity, registrationId, signedPreKey } = companion;
  const { signedIdentity, synced } = companion;
  const queue = [...companion.queue.values()].map(({ sent: _, ...item }) => item);
  const keys = { noiseKey, identity, registrationId, signedPreKey, signedIdentity };
  const state = { device, name, ...keys, synced, queue };
  return withFields(JSON.stringify(state, bytesToText), { preKeys: writePreKeys(companion.preKeys) });
}

/** The texts of one-time keys: a device has hundreds, and to write them with each message would be most of the work. */
const preKeyTexts = new WeakMap<readonly PreKey[], string>();

function writePreKeys(keys: readonly PreKey[]): string {
  const cached = preKeyTexts.get(keys);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(keys, bytesToText);
  preKeyTexts.set(keys, text);
  return text;
}

function restoreCompanion(state: SavedPerson['companions'][number]): Companion {
  const companion = new Companion(state);
  for (const item of state.queue) companion.queue.set(item.key, item);
  return companion;
}

/** Writes bytes as base64: a Buffer has become an array of numbers before the replacer sees it, three times as long. */
function bytesToText(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  return original instanceof Uint8Array ? { $bytes: Buffer.from(original).toString('base64') } : value;
}

function textToBytes(_key: string, value: unknown): unknown {
  const text = (value as { $bytes?: unknown } | null)?.$bytes;
  return typeof text === 'string' ? Buffer.from(text, 'base64') : value;
}
