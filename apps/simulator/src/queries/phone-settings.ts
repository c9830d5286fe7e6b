import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { LTHashState, WAPatchName } from '@whiskeysockets/baileys';
import { notifyDevices } from '../people/notifications.js';
import type { Collection, Person } from '../people/person.js';
import { Refusal } from '../http/refusal.js';
import { stanza } from '../wire/nodes.js';
import { appendPatch } from './app-state.js';
import { settingsKeyOf } from './first-sync.js';

export const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;
export type CollectionName = (typeof COLLECTIONS)[number] & WAPatchName;

/** A setting that phone and devices share: what it is about, and what it is set to. */
export interface Setting {
  collection: CollectionName;
  index: string[];
  value: object;
}

/** Content of a collection after all of its patches. */
interface CollectionContent {
  state: LTHashState;
  settings: Setting[];
}

/** Reads everything that is set, by the phone or by a device. */
export async function readSettings(person: Person): Promise<Setting[]> {
  const all = await Promise.all(COLLECTIONS.map((name) => replay(person, name)));
  return all.flatMap(({ settings }) => settings);
}

/** Changes a setting on the phone and has the devices fetch it. Returns the version of the collection. */
export async function changeSetting(person: Person, setting: Setting, apiVersion: number): Promise<number> {
  refuseUnknown(setting.value);
  const { encodeSyncdPatch } = await chatUtils();
  const { collection: name, index, value: syncAction } = setting;
  const { id, find } = keysOf(person);
  const collection = collectionOf(person, name);
  for (;;) {
    const { state } = await replay(person, name);
    const change = { type: name, index, syncAction, apiVersion, operation: SET };
    const { patch } = await encodeSyncdPatch(change, id, state, find);
    // A device may have written in the meantime; a patch fits one version only.
    if (collection.version !== state.version) continue;
    appendPatch(collection, proto.SyncdPatch.encode(patch).finish());
    notifyOfVersion(person, name, collection.version);
    return collection.version;
  }
}

/** Refuses a value of an unknown kind: the library would drop it, and set nothing at all. */
function refuseUnknown(value: object): void {
  const made = proto.SyncActionValue.fromObject(value);
  const unknown = Object.keys(value).filter((kind) => !Object.hasOwn(made, kind));
  if (unknown.length === 0 && Object.keys(value).length > 0) return;
  const words = `value is no setting of the platform: ${unknown.join(', ') || 'it is empty'}`;
  throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { value: [words] } });
}

const { SET } = proto.SyncdMutation.SyncdOperation;

/** Loads the library's chat functions on first use: they bring a WebAssembly module along. */
const chatUtils = () => import('@whiskeysockets/baileys/lib/Utils/chat-utils.js');

function collectionOf(person: Person, name: string): Collection {
  const collection = person.collections.get(name) ?? { version: 0, patches: [] };
  person.collections.set(name, collection);
  return collection;
}

async function replay(person: Person, name: CollectionName): Promise<CollectionContent> {
  const { decodePatches, newLTHashState } = await chatUtils();
  const patches = collectionOf(person, name).patches.map((patch) => proto.SyncdPatch.decode(patch));
  const { state, mutationMap } = await decodePatches(
    name,
    patches,
    newLTHashState(),
    keysOf(person).find,
    {},
  );
  const settings = Object.values(mutationMap).map(({ syncAction: { value }, index }) => ({
    collection: name,
    index: index as unknown as string[],
    value: value ? proto.SyncActionValue.fromObject(value).toJSON() : {},
  }));
  return { state, settings };
}

function keysOf(person: Person): { id: string; find: (id: string) => Promise<{ keyData: Buffer } | null> } {
  const { keyId, keyData } = settingsKeyOf(person);
  const id = keyId.toString('base64');
  return { id, find: async (asked) => (asked === id ? { keyData } : null) };
}

function notifyOfVersion(person: Person, name: string, version: number): void {
  const attributes = { type: 'server_sync', id: `sync-${name}-${version}` };
  notifyDevices(person, attributes, stanza('collection', { name, version }));
}
