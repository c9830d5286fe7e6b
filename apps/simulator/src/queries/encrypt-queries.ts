import { createHash } from 'node:crypto';
import { verify, signalKey } from '../noise/keys.js';
import type { Companion } from '../people/companion.js';
import type { Population } from '../people/population.js';
import { takeBundle } from '../people/pre-keys.js';
import {
  bundleNodes,
  type KeyBundle,
  keyTypeNode,
  type PreKey,
  readPreKey,
  readSignedPreKey,
  registrationNode,
  signedPreKeyNode,
  type SignedPreKey,
} from '../signal/key-bundle.js';
import { bigEndian, child, childrenNamed, type Stanza, stanza } from '../wire/nodes.js';
import type { QueryContext } from './query-context.js';

/** Answers how many one-time keys are left. */
export const keyCount = ({ companion }: QueryContext): Stanza[] => [
  stanza('count', { value: companion.preKeys.length }),
];

/** Answers with the uploaded keys and a digest of them, which a client compares with its own. */
export function keyDigest({ companion }: QueryContext): Stanza[] {
  const { registrationId, signedPreKey, preKeys, identity } = companion;
  const hash = createHash('sha1').update(identity).update(signedPreKey.value).update(signedPreKey.signature);
  for (const key of preKeys) hash.update(key.value);
  const ids = preKeys.map((key) => stanza('id', {}, bigEndian(key.id, 3)));
  return [
    stanza('digest', {}, [
      registrationNode(registrationId),
      keyTypeNode(),
      stanza('identity', {}, identity),
      signedPreKeyNode(signedPreKey),
      stanza('list', {}, ids),
      stanza('hash', {}, hash.digest()),
    ]),
  ];
}

/** Takes the keys that a client uploads. */
export function uploadKeys({ person, companion, population }: QueryContext, request: Stanza): undefined {
  const keys = childrenNamed(child(request, 'list'), 'key').map(readPreKey);
  companion.addPreKeys(keys.filter((key): key is PreKey => key !== undefined));
  replaceSignedPreKey(companion, readSignedPreKey(child(request, 'skey')));
  population.touch(person);
  return undefined;
}

/** Takes a new signed key of a client. */
export function rotateKey({ person, companion, population }: QueryContext, request: Stanza): undefined {
  replaceSignedPreKey(companion, readSignedPreKey(child(child(request, 'rotate'), 'skey')));
  population.touch(person);
  return undefined;
}

/** Replaces the signed key, unless the signature of the new one is wrong. */
function replaceSignedPreKey(companion: Companion, key: SignedPreKey | undefined): void {
  if (key && verify(companion.identity, signalKey(key.value), key.signature)) companion.signedPreKey = key;
}

/** Answers with key bundles under the address that was asked for: it decides where the client files the session. */
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
