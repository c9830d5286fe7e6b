/** A stanza of the platform, as far as it is read here. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string | undefined>;
  content?: unknown;
}

/** Remembers the stanza of a ciphertext: the library's decryption gets the bytes alone. */
export function rememberCiphertexts(stanza: Stanza, stanzas: WeakMap<Uint8Array, Stanza>): void {
  if (!Array.isArray(stanza.content)) return;
  for (const { content } of stanza.content as Stanza[])
    if (content instanceof Uint8Array) stanzas.set(content, stanza);
}
