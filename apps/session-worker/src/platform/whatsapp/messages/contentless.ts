import type { EventEmitter } from 'node:events';
import { isOfContent } from '@svc/database';
import { log } from '@svc/service';
import { countUntold } from '../../../untold.js';
import type { InboundContent } from '../../messages.js';
import type { PlatformStore } from '../../port.js';
import { Backlog } from './backlog.js';
import type { AddressBook } from '../stanzas/address-book.js';
import { isLeftOut, isStatus, journalPlace, kindsIn, UNREADABLE, unreadRecord } from './inbound-record.js';
import {
  hasContent,
  isAddressed,
  isSealed,
  isSealedOddly,
  partsOf,
  readable,
  type Stanza,
  unmarked,
} from '../stanzas/stanzas.js';
import type { StanzasInHand } from './stanzas-in-hand.js';

/** Longest wait for a message that was asked for in another way, in ms. */
const ASKED_MS = 20_000;
/** Longest wait for the backlog of a connection, in ms. */
const BACKLOG_MS = 30_000;
const NOTHING = new Uint8Array();
const UNAVAILABLE = { type: 'unsupported', original: 'unavailable' } as const;

/** Work on one stanza. */
type Work = (stanza: Stanza) => Promise<void>;

/** Tools to journal what the library does not read. */
interface Tools {
  book: AddressBook;
  store: Pick<PlatformStore, 'commit' | 'ends' | 'journaled'>;
  inHand: StanzasInHand;
  isOpen: () => boolean;
  /** Tells the platform that a stanza has arrived. */
  confirm: Work;
  /** Gives up the socket: the platform sends what it has not confirmed at the next login. */
  abandon: () => void;
}

// Library patch: unread-messages
/**
 * Journals what the library does not read, before it is confirmed: nobody would hear that it was there. The platform gives some messages to
 * the phone alone, such as one-time codes and what may be viewed once; some the library cannot take apart; and what has ended one
 * connection after the other is kept from it.
 * @returns what resolves when the backlog of the connection is in the journal, or late.
 */
export function journalUnread(stanzas: EventEmitter, tools: Tools): Promise<void> {
  const { inHand, isOpen, confirm } = tools;
  const usual = reading(stanzas.listeners('CB:message') as Work[], tools);
  stanzas.removeAllListeners('CB:message');
  const take: Work = async (stanza) => {
    const { id, from } = stanza.attrs;
    if (!id || !from) return passOver(stanza);
    // Library patch: plain-acks-of-statuses
    // Nobody is told statuses. The platform would keep one that the library cannot read, and hold back what comes after it.
    if (isStatus(stanza)) return confirm(stanza);
    if (!inHand.isSuspect(stanza)) return usual(stanza);
    if (await inHand.isGivenUp(stanza)) {
      log().error('a message ends its connection each time: the library is not given it any more');
      await journal(stanza, UNREADABLE, tools);
    } else await usual(stanza);
    await inHand.done(stanza);
  };
  const backlog = new Backlog(tools.store.ends, isOpen, take);
  stanzas.on('CB:message', (stanza: Stanza) =>
    stanza.attrs['offline'] ? backlog.add(stanza) : take(stanza),
  );
  return new Promise((resolve) => {
    setTimeout(resolve, BACKLOG_MS).unref();
    stanzas.once('CB:ib,,offline', () => void backlog.idle().then(resolve));
  });
}

function passOver(stanza: Stanza): void {
  log().warn(kindsIn(stanza), 'a message without an id or a sender is not told');
  countUntold('headless');
}

/** Makes the work on a stanza that has ended no connection. */
function reading(library: Work[], tools: Tools): Work {
  const { book, inHand, isOpen } = tools;
  const give = async (stanza: Stanza): Promise<void> => {
    await Promise.all(library.map((listener) => listener(stanza)));
  };
  const read: Work = (stanza) =>
    inHand.handle(stanza, async () => {
      await give(unmarked(readable(stanza)));
      // It has told the platform that it failed, and nobody else. The platform may have been at fault: another connection shows it.
      if (isOpen() && !inHand.isSettled(stanza)) throw new Error('The library did not decrypt a message.');
    });
  const handle: Work = (stanza) => inHand.handle(stanza, () => give(unmarked(stanza)));
  return async (stanza) => {
    if (isLeftOut(stanza)) return handle(stanza);
    const isReadable = isAddressed(stanza, book.credentials);
    if (isReadable && isSealed(stanza)) return read(stanza);
    if (isReadable && !hasContent(stanza)) return journal(stanza, withheld(stanza), tools, read);
    if (!isReadable || !isSealedOddly(stanza)) return tellUnread(stanza, tools);
    await handle(stanza);
    setTimeout(() => void tellUnlessCome(stanza, tools), ASKED_MS).unref();
  };
}

/** Tells a message that was asked for in another way without its content, unless it has come meanwhile. */
async function tellUnlessCome(stanza: Stanza, tools: Tools): Promise<void> {
  const { sender, keyId } = journalPlace(stanza, NOTHING);
  try {
    const isHere = !tools.isOpen() || (await tools.store.journaled(sender, keyId)) !== undefined;
    if (!isHere) await tellUnread(stanza, tools);
  } catch (error) {
    log().warn({ err: error }, 'a message that did not come again is told at the next connection');
  }
}

async function tellUnread(stanza: Stanza, tools: Tools): Promise<void> {
  log().error(kindsIn(stanza), 'the library cannot take a message apart: it is told without its content');
  await journal(stanza, UNREADABLE, tools);
}

/** Journals a message with this content, and then has it confirmed. */
async function journal(
  stanza: Stanza,
  content: InboundContent,
  { book, store, inHand, confirm, abandon }: Tools,
  confirmTold: Work = confirm,
): Promise<void> {
  let isTold = false;
  try {
    const record = await unreadRecord(stanza, journalPlace(stanza, NOTHING), book, content);
    if (record) await store.commit([], [record]);
    isTold = record !== undefined;
  } catch (error) {
    if (!isOfContent(error)) return abandon();
    log().error({ err: error }, 'a message without content cannot be journaled: it is passed over');
  }
  inHand.settle(stanza);
  await (isTold ? confirmTold : confirm)(stanza);
}

function withheld(stanza: Stanza): InboundContent {
  const isViewOnce = partsOf(stanza).some(
    ({ tag, attrs }) => tag === 'unavailable' && attrs['type']?.startsWith('view_once'),
  );
  const body = isViewOnce ? ({ type: 'view_once', inner: UNAVAILABLE } as const) : UNAVAILABLE;
  return { type: 'unavailable', body, unsupportedReason: 'WITHHELD' };
}
