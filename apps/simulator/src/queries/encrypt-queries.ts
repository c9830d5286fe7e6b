import { createHash } from 'node:crypto';
import { verify, signalKey } from '../noise/keys.js';
import type { Companion } from '../people/companion.js';
import type { Population } from '../people/population.js';
import {
  bundleNodes,
  type KeyBundle,
  type PreKey,
  readPreKey,
  readSignedPreKey,
  registrationNode,
  type SignedPreKey,
} from '../signal/key-bundle.js';
import { SERVER } from '../wire/jids.js';
import { bigEndian, child, childrenNamed, seconds, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './queries.js';

/** Below this the client is told to upload more. */
const FEW_PRE_KEYS = 5;

export const keyCount = ({ companion }: QueryContext): Stanza[] => [
  stanza('count', { value: companion.preKeys.length }),
];

/** The client compares the digest with its own keys; it only insists on there being one. */
export function keyDigest({ companion }: QueryContext): Stanza[] {
  const { registrationId, signedPreKey, preKeys, identity } = companion;
  const hash = createHash('sha1').update(identity).update(signedPreKey.value).update(signedPreKey.signature);
  for (const key of preKeys) hash.update(key.value);
  const ids = preKeys.map((key) => stanza('id', {}, bigEndian(key.id, 3)));
  return [
    stanza('digest', {}, [
      registrationNode(registrationId),
      stanza('identity', {}, identity),
      stanza('list', {}, ids),
      stanza('hash', {}, hash.digest()),
    ]),
  ];
}

export function uploadKeys({ person, companion, population }: QueryContext, request: Stanza): undefined {
  const keys = childrenNamed(child(request, 'list'), 'key').map(readPreKey);
  companion.addPreKeys(keys.filter((key): key is PreKey => key !== undefined));
  adopt(companion, readSignedPreKey(child(request, 'skey')));
  population.touch(person);
  return undefined;
}

export function rotateKey({ person, companion, population }: QueryContext, request: Stanza): undefined {
  adopt(companion, readSignedPreKey(child(child(request, 'rotate'), 'skey')));
  population.touch(person);
  return undefined;
}

function adopt(companion: Companion, key: SignedPreKey | undefined): void {
  if (key && verify(companion.identity, signalKey(key.value), key.signature)) companion.signedPreKey = key;
}

/** Key bundles under the address that was asked for: it decides where the client files the session. */
export function keyBundles({ population }: QueryContext, request: Stanza): Stanza[] {
  const users = childrenNamed(child(request, 'key'), 'user').flatMap(({ attrs }) => {
    const bundle = bundleOf(population, attrs.jid);
    if (!bundle) return [];
    return [
      stanza('user', { jid: attrs.jid }, [registrationNode(bundle.registrationId), ...bundleNodes(bundle)]),
    ];
  });
  return [stanza('list', {}, users)];
}

function bundleOf(population: Population, jid: string | undefined): KeyBundle | undefined {
  const found = population.find(jid);
  if (!found?.person.registered) return undefined;
  population.touch(found.person);
  if (found.device === 0) return found.person.device.bundle();
  const companion = found.person.companions.get(found.device);
  return companion && takeBundle(companion);
}

/** A bundle of a linked device, with the reminder to upload more keys when few are left. */
export function takeBundle(companion: Companion): KeyBundle {
  const bundle = companion.bundle();
  remind(companion);
  return bundle;
}

/** Tells an active client when few one-time keys are left. */
export function remind(companion: Companion): void {
  const left = companion.preKeys.length;
  if (!companion.active || left >= FEW_PRE_KEYS) return;
  const attributes = { type: 'encrypt', from: SERVER, id: `low-${left}`, t: seconds() };
  companion.connection?.send(stanza('notification', attributes, [stanza('count', { value: left })]));
}
