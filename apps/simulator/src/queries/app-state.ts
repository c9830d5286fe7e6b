import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Collection, Person } from '../people/person.js';
import { bytesOf, child, childrenNamed, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './query-context.js';

/** Stores what a companion changed in its settings, and answers with the patches that it has not seen. */
export function syncCollections({ person, population }: QueryContext, request: Stanza): Stanza[] {
  const collections = childrenNamed(child(request, 'sync'), 'collection');
  const answers = collections.map((collection) => syncOne(person, collection));
  population.touch(person);
  return [stanza('sync', {}, answers)];
}

function syncOne(person: Person, request: Stanza): Stanza {
  const name = request.attrs.name ?? '';
  const collection: Collection = person.collections.get(name) ?? { version: 0, patches: [] };
  person.collections.set(name, collection);
  const version = Number(request.attrs.version ?? 0);
  const patch = bytesOf(child(request, 'patch'));
  if (patch && version !== collection.version) {
    const error = stanza('error', { code: 409, text: 'conflict' });
    return stanza('collection', { name, type: 'error', version: collection.version }, [error]);
  }
  const unseen = patch ? [] : collection.patches.slice(version);
  if (patch) appendPatch(collection, patch);
  const content = unseen.length > 0 ? [stanza('patches', {}, unseen.map(patchNode))] : undefined;
  return stanza('collection', { name, version: collection.version, has_more_patches: 'false' }, content);
}

/** Appends a patch under its number, without which it arrives: readers apply several in order. */
export function appendPatch(collection: Collection, bytes: Uint8Array): void {
  collection.version++;
  const patch = proto.SyncdPatch.decode(bytes);
  patch.version = proto.SyncdVersion.create({ version: collection.version });
  collection.patches.push(Buffer.from(proto.SyncdPatch.encode(patch).finish()));
}

const patchNode = (patch: Buffer): Stanza => stanza('patch', {}, patch);
