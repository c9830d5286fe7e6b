import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Collection, Person } from '../people/person.js';
import { bytesOf, child, childrenNamed, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './queries.js';

/** Keeps what a companion changed in its settings and gives others what they have not seen. */
export function syncCollections({ person, population }: QueryContext, request: Stanza): Stanza[] {
  const collections = childrenNamed(child(request, 'sync'), 'collection');
  const answers = collections.map((collection) => syncOne(person, collection));
  population.touch(person);
  return [stanza('sync', {}, answers)];
}

function syncOne(person: Person, request: Stanza): Stanza {
  const name = request.attrs.name ?? '';
  const known: Collection = person.collections.get(name) ?? { version: 0, patches: [] };
  person.collections.set(name, known);
  const version = Number(request.attrs.version ?? 0);
  const patch = bytesOf(child(request, 'patch'));
  if (patch && version !== known.version) {
    const error = stanza('error', { code: 409, text: 'conflict' });
    return stanza('collection', { name, type: 'error', version: known.version }, [error]);
  }
  const unseen = patch ? [] : known.patches.slice(version);
  if (patch) appendPatch(known, patch);
  const content = unseen.length > 0 ? [stanza('patches', {}, unseen.map(patchNode))] : undefined;
  return stanza('collection', { name, version: known.version, has_more_patches: 'false' }, content);
}

/** A patch arrives without its number; readers need it to apply several in order. */
export function appendPatch(collection: Collection, bytes: Uint8Array): void {
  collection.version++;
  const patch = proto.SyncdPatch.decode(bytes);
  patch.version = proto.SyncdVersion.create({ version: collection.version });
  collection.patches.push(Buffer.from(proto.SyncdPatch.encode(patch).finish()));
}

const patchNode = (patch: Buffer): Stanza => stanza('patch', {}, patch);
