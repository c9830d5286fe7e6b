/** A stanza of the platform, as far as it is read here. */
export interface Stanza {
  tag: string;
  attrs: Record<string, string | undefined>;
  content?: unknown;
}

/** Remembers which stanza a ciphertext came in: the library's decryption is given the bytes alone. */
export function rememberCiphertexts(stanza: Stanza, stanzas: WeakMap<Uint8Array, Stanza>): void {
  if (!Array.isArray(stanza.content)) return;
  for (const { content } of stanza.content as Stanza[])
    if (content instanceof Uint8Array) stanzas.set(content, stanza);
}

/** Reads what a receipt tells of, or undefined for requests and confirmations among devices. */
export function receiptKind(type: string | undefined): 'delivered' | 'read' | undefined {
  if (type === undefined || type === 'inactive') return 'delivered';
  return type === 'read' || type === 'played' ? 'read' : undefined;
}

/** Lists all messages that a receipt is for. */
export function receiptIds({ attrs, content }: Stanza): string[] {
  const lists = Array.isArray(content) ? (content as Stanza[]).filter(({ tag }) => tag === 'list') : [];
  const items = lists.flatMap((list) => (Array.isArray(list.content) ? (list.content as Stanza[]) : []));
  return [attrs['id'], ...items.map((item) => item.attrs['id'])].filter((id) => id !== undefined);
}

/** Behind the clock by more than this, a stanza tells of something earlier, e.g. of what happened while nobody was connected. */
const LATE_MS = 2_000;

/** The time of a stanza: as the platform says in whole seconds, where that is not just now. */
export function timeOf({ attrs }: Stanza, now = Date.now()): Date {
  const named = Number(attrs['t']) * 1_000;
  return new Date(named > 0 && named < now - LATE_MS ? named : now);
}
