import { createHash } from 'node:crypto';

/** Bytes of a hash that identify it; a UUID that is made of one keeps the first six. */
const ENOUGH = 6;
const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'];

/** A person whose traces are looked for. */
export interface Wanted {
  phone: string;
  /** The platform's other address of the person. */
  lid: string;
  /** Ids by which a contact may be hashed apart: the tenant, the session. */
  apart: string[];
}

/** Lists the spellings of a number that a service may write, or hash. */
function spellingsOf({ phone, lid }: Wanted): string[] {
  return [phone, `+${phone}`, `${phone}@s.whatsapp.net`, lid, lid.split('@')[0] ?? lid];
}

/**
 * Lists what somebody would search for who has a list of all numbers and no key: hashes of a number alone, and together with an id, as
 * hexadecimal digits, as base64, as a UUID and as a number of eight bytes.
 */
export function guessesOf(wanted: Wanted): string[] {
  const names = wanted.apart.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'));
  const hashes = textsOf(wanted).flatMap((text) => [
    ...ALGORITHMS.map((algorithm) => createHash(algorithm).update(text).digest()),
    // The hashes behind UUIDs that follow from a name.
    ...names.flatMap((name) =>
      ['md5', 'sha1'].map((algorithm) => createHash(algorithm).update(name).update(text).digest()),
    ),
  ]);
  return [...new Set([...hashes.flatMap(formsOf), ...spellingsOf(wanted).flatMap(otherForms)])];
}

/** Lists the hashes of 32 bits, which are looked for in columns of whole numbers. */
export function smallGuessesOf(wanted: Wanted): number[] {
  return textsOf(wanted).map(fnv1a);
}

/** Lists the texts that somebody would hash: a spelling, and one after an id. */
export function textsOf(wanted: Wanted): string[] {
  return spellingsOf(wanted).flatMap((spelling) => [
    spelling,
    ...wanted.apart.flatMap((id) => ['|', ':', '/', ' ', ''].map((between) => `${id}${between}${spelling}`)),
  ]);
}

function formsOf(hash: Buffer): string[] {
  const hex = hash.toString('hex', 0, ENOUGH);
  const base64 = hash.toString('base64').slice(0, 10);
  return [
    ...[hex, `${hex.slice(0, 8)}-${hex.slice(8)}`],
    ...[base64, base64.replaceAll('+', '-').replaceAll('/', '_')],
    ...[hash.readBigInt64BE(0), hash.readBigInt64LE(0), hash.readBigUInt64BE(0), hash.readBigUInt64LE(0)].map(
      String,
    ),
  ];
}

/** Lists forms of a text that are the text itself; its base64 depends on what stands before. */
function otherForms(text: string): string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from('\0'.repeat(before) + text)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  return [Buffer.from(text).toString('hex'), ...base64];
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
