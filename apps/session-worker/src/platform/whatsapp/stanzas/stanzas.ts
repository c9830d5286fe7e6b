import { type AuthenticationCreds, type BinaryNode, decodeMessageNode } from '@whiskeysockets/baileys';

/** A stanza of the platform, as far as it is read here. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string | undefined>;
  content?: unknown;
}

/** Ways of sealing a message that the library can undo. */
const SEALINGS = new Set(['pkmsg', 'msg', 'skmsg']);
/** Way of sealing that needs the secret of another message. */
const OF_BOTS = 'msmsg';
/** Tags of the parts that have the content of a message. */
const CONTENT_TAGS = new Set(['enc', 'plaintext']);

/** Remembers the stanza of a ciphertext: the library's decryption gets the bytes alone. */
export function rememberCiphertexts(stanza: Stanza, stanzas: WeakMap<Uint8Array, Stanza>): void {
  for (const { content } of partsOf(stanza)) if (content instanceof Uint8Array) stanzas.set(content, stanza);
}

/** Lists the stanzas inside a stanza. */
export function partsOf({ content }: Stanza): Stanza[] {
  return Array.isArray(content) ? (content as Stanza[]) : [];
}

/** Says whether a part of a stanza has the content of a message, sealed or not. */
export function hasContent(stanza: Stanza): boolean {
  return partsOf(stanza).some(({ tag }) => CONTENT_TAGS.has(tag));
}

/** Says whether a stanza has a content that the library can decrypt. */
export function isSealed(stanza: Stanza): boolean {
  return partsOf(stanza).some(isSealedPart);
}

/** Says whether a content is sealed in a way that the library does not know: it asks for such a message in another way, but not for a bot's. */
export function isSealedOddly(stanza: Stanza): boolean {
  const sealed = partsOf(stanza).filter(({ tag }) => tag === 'enc');
  return sealed[0]?.attrs['type'] !== OF_BOTS && sealed.some(({ content }) => content instanceof Uint8Array);
}

/** Says whether the library can tell who wrote a message and in which chat: over one of which it cannot, it fails. */
export function isAddressed(stanza: Stanza, { me }: AuthenticationCreds): boolean {
  try {
    decodeMessageNode(stanza as BinaryNode, me?.id ?? '', me?.lid ?? '');
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies a stanza without the mark of one that is sent again: what has it, the library puts aside, and nobody hears what becomes of it.
 */
export function unmarked(stanza: Stanza): Stanza {
  const { offline: _, ...attrs } = stanza.attrs;
  return { ...stanza, attrs };
}

/** Copies a stanza without the parts over which the library gives up the whole: contents that it cannot decrypt, and certificates of names. */
export function readable(stanza: Stanza): Stanza {
  const parts = partsOf(stanza).filter(
    (part) => isSealedPart(part) || !(CONTENT_TAGS.has(part.tag) || part.tag === 'verified_name'),
  );
  return Array.isArray(stanza.content) ? { ...stanza, content: parts } : stanza;
}

function isSealedPart({ tag, attrs, content }: Stanza): boolean {
  return tag === 'enc' && SEALINGS.has(attrs['type'] ?? '') && content instanceof Uint8Array;
}
