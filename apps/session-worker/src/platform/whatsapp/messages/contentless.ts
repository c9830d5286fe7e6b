import type { EventEmitter } from 'node:events';
import { isOfContent } from '@svc/database';
import { log } from '@svc/service';
import type { InboundContent } from '../../messages.js';
import type { PlatformStore } from '../../port.js';
import { type AddressBook, journalPlace, UNREADABLE, unreadRecord } from './inbound-record.js';
import type { Stanza } from './stanzas.js';
import type { StanzasInHand } from './stanzas-in-hand.js';

const NOTHING = new Uint8Array();
const UNAVAILABLE = { type: 'unsupported', original: 'unavailable' } as const;

/** Tools to journal what the library does not read. */
interface Tools {
  book: AddressBook;
  store: Pick<PlatformStore, 'commit'>;
  inHand: StanzasInHand;
  /** Tells the platform that a stanza has arrived. */
  confirm: (stanza: Stanza) => Promise<void>;
  /** Gives up the socket: the platform sends what it has not confirmed at the next login. */
  abandon: () => void;
}

/**
 * Journals what the library does not read, before it is confirmed: nobody would hear that it was there. The platform gives some messages to
 * the phone alone, such as one-time codes and what may be viewed once. And what has ended one connection after the other is kept from the
 * library.
 */
export function journalUnread(stanzas: EventEmitter, tools: Tools): void {
  const { inHand, confirm } = tools;
  const library = stanzas.listeners('CB:message') as ((stanza: Stanza) => Promise<void>)[];
  stanzas.removeAllListeners('CB:message');
  const handle = (stanza: Stanza): Promise<void> =>
    inHand.handle(stanza, async () => {
      await Promise.all(library.map((listener) => listener(stanza)));
    });
  const handleSuspect = async (stanza: Stanza): Promise<void> => {
    if (!(await inHand.isGivenUp(stanza))) return handle(stanza);
    log().error('a message ends every connection: it is told without its content');
    await journal(stanza, UNREADABLE, tools, confirm);
  };
  stanzas.on('CB:message', (stanza: Stanza) => {
    if (inHand.isSuspect(stanza)) return handleSuspect(stanza);
    return hasContent(stanza) ? handle(stanza) : journal(stanza, contentOf(stanza), tools, handle);
  });
}

/** Journals a message with this content, and then has it confirmed. */
async function journal(
  stanza: Stanza,
  content: InboundContent,
  { book, store, abandon }: Tools,
  confirm: (stanza: Stanza) => Promise<void>,
): Promise<void> {
  try {
    const record = await unreadRecord(stanza, journalPlace(stanza, NOTHING), book, content);
    if (record) await store.commit([], [record]);
  } catch (error) {
    if (!isOfContent(error)) return abandon();
    log().error({ err: error }, 'a message without content cannot be journaled: it is passed over');
  }
  await confirm(stanza);
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
