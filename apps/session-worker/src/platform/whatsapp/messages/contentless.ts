import type { EventEmitter } from 'node:events';
import { isOfContent } from '@svc/database';
import { log } from '@svc/service';
import type { InboundContent } from '../../messages.js';
import type { PlatformStore } from '../../port.js';
import { type AddressBook, journalPlace, unreadRecord } from './inbound-record.js';
import type { Stanza } from './stanzas.js';

const NOTHING = new Uint8Array();
const UNAVAILABLE = { type: 'unsupported', original: 'unavailable' } as const;

/** Tools for journaling a message without content. */
interface Tools {
  book: AddressBook;
  store: Pick<PlatformStore, 'commit'>;
  /** Gives up the socket: the platform sends what it has not confirmed at the next login. */
  abandon: () => void;
}

/**
 * Journals messages that come without anything sealed in them, before the library confirms them: the platform sends some to the phone
 * alone, such as one-time codes and what may be viewed once. Tenants would not learn that they were there.
 */
export function journalContentless(stanzas: EventEmitter, { book, store, abandon }: Tools): void {
  const library = stanzas.listeners('CB:message') as ((stanza: Stanza) => Promise<void>)[];
  stanzas.removeAllListeners('CB:message');
  const handle = async (stanza: Stanza): Promise<void> => {
    await Promise.all(library.map((listener) => listener(stanza)));
  };
  stanzas.on('CB:message', (stanza: Stanza) => {
    if (hasContent(stanza)) return handle(stanza);
    return journal(stanza).then(
      () => handle(stanza),
      (error: unknown) => {
        if (!isOfContent(error)) return abandon();
        log().error({ err: error }, 'a message without content cannot be journaled: it is passed over');
        return handle(stanza);
      },
    );
  });

  const journal = async (stanza: Stanza): Promise<void> => {
    const record = await unreadRecord(stanza, journalPlace(stanza, NOTHING), book, contentOf(stanza));
    if (record) await store.commit([], [record]);
  };
}

function hasContent({ content }: Stanza): boolean {
  return partsOf(content).some((part) => part.content instanceof Uint8Array);
}

function contentOf({ content }: Stanza): InboundContent {
  const isViewOnce = partsOf(content).some(
    ({ tag, attrs }) => tag === 'unavailable' && attrs['type']?.startsWith('view_once'),
  );
  const body = isViewOnce ? ({ type: 'view_once', inner: UNAVAILABLE } as const) : UNAVAILABLE;
  return { type: 'unavailable', body, unsupportedReason: 'WITHHELD' };
}

function partsOf(content: unknown): Stanza[] {
  return Array.isArray(content) ? (content as Stanza[]) : [];
}
