import type { EventEmitter } from 'node:events';
import { isGroup } from '@svc/contracts';
import { isOfContent } from '@svc/database';
import { log } from '@svc/service';
import { CallNotRingingError } from '../../errors.js';
import type { PlatformStore } from '../../port.js';
import type { AddressBook } from '../stanzas/address-book.js';
import { addressOf, boundedId, phoneAddress } from '../stanzas/jids.js';
import { partsOf, type Stanza } from '../stanzas/stanzas.js';

/** Most calls that are remembered while they ring; the oldest goes first. */
const MOST_RINGING = 100;
/** Announcements of one call: some devices get both. */
const OFFERS = new Set(['offer', 'offer_notice']);
/** Ends of a call, by whoever it is ended. */
const ENDS = new Set(['accept', 'reject', 'terminate', 'timeout']);

/** Tools to tell calls. */
interface Tools {
  book: AddressBook;
  store: Pick<PlatformStore, 'called'>;
  send: (stanza: Stanza) => Promise<void>;
  newId: () => string;
  /** Tells the platform that a stanza has arrived. */
  confirm: (stanza: Stanza) => Promise<void>;
  /** Gives up the socket: the platform sends what it has not confirmed at the next login. */
  abandon: () => void;
}

// Library patch: written-calls
/**
 * Tells the calls to the number, each once, before the platform gets its confirmation: the library confirms them at once, and a crash would
 * lose them. Nothing here answers a call.
 */
export class Calls {
  /** Address that each call came from, by its id. */
  private readonly ringing = new Map<string, string>();

  constructor(
    stanzas: EventEmitter,
    private readonly tools: Tools,
  ) {
    stanzas.removeAllListeners('CB:call');
    stanzas.on('CB:call', (stanza: Stanza) => void this.take(stanza));
  }

  /**
   * Rejects a call on all devices of the number. The platform's answer may not come, and nothing follows from it.
   * @throws CallNotRingingError
   */
  async reject(callId: string): Promise<void> {
    const creator = this.ringing.get(callId);
    const { me } = this.tools.book.credentials;
    if (creator === undefined || !me) throw new CallNotRingingError();
    const attrs = { 'call-id': callId, 'call-creator': creator, count: '0' };
    const rejection: Stanza = { tag: 'reject', attrs };
    await this.tools.send({
      ...{ tag: 'call', attrs: { id: this.tools.newId(), from: me.id, to: creator } },
      content: [rejection],
    });
    this.ringing.delete(callId);
  }

  private async take(stanza: Stanza): Promise<void> {
    try {
      const part = partsOf(stanza).find(({ tag }) => OFFERS.has(tag) || ENDS.has(tag));
      if (part && OFFERS.has(part.tag)) await this.offered(stanza, part);
      else if (part) this.ringing.delete(part.attrs['call-id'] ?? '');
    } catch (error) {
      if (!isOfContent(error)) return this.tools.abandon();
      log().error({ err: error }, 'a call cannot be written: it is confirmed all the same');
    }
    await this.tools
      .confirm(stanza)
      .catch((error: unknown) => log().warn({ err: error }, 'a call is confirmed at the next login'));
  }

  private async offered({ attrs }: Stanza, offer: Stanza): Promise<void> {
    const callId = offer.attrs['call-id'];
    const creator = offer.attrs['call-creator'] ?? attrs['from'];
    const caller = addressOf(creator);
    if (!callId || !creator || !caller || this.ringing.has(callId)) return;
    const isRinging = attrs['offline'] === undefined;
    if (isRinging) this.remember(callId, creator);
    const group = addressOf(offer.attrs['group-jid']);
    await this.tools.store.called({
      id: boundedId(callId),
      remoteJid: await phoneAddress(caller, offer.attrs['caller_pn'], this.tools.book.repository),
      isVideo: offer.attrs['media'] === 'video' || partsOf(offer).some(({ tag }) => tag === 'video'),
      group: isGroup(group) ? group : undefined,
      ...{ isRinging, at: Number(attrs['t']) },
    });
  }

  private remember(callId: string, creator: string): void {
    this.ringing.set(callId, creator);
    const [oldest] = this.ringing.keys();
    if (oldest !== undefined && this.ringing.size > MOST_RINGING) this.ringing.delete(oldest);
  }
}
