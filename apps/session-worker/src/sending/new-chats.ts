import { EventEmitter } from 'node:events';
import { isGroup, RESTRICTION_REASONS, type RestrictionReason, WRITE_WITHIN_MS } from '@svc/contracts';
import { log } from '@svc/service';
import type { DataSource } from 'typeorm';
import type { PlatformRestriction, PlatformSocket } from '../platform/port.js';
import { restrictionAt, type Restrictions, restrictionsAfter } from '../sessions/restrictions.js';
import type { LedgerMessage } from './ledger/ledger.js';

// The sender of the journal comes first: its index finds one contact, the ledger's all messages of the session.
const CHAT_SQL = `SELECT EXISTS (SELECT FROM inbound_message WHERE session_id = $1 AND sender = ANY($2::text[]))
  OR EXISTS (SELECT FROM outbound_message
    WHERE session_id = $1 AND to_jid = ANY($2::text[]) AND status IN ('SENT', 'DELIVERED', 'READ')) AS "hasChat"`;

/** Decides whether one session may begin chats: by what the platform has said of that, and for which messages it counts. */
export class NewChats {
  /** Emitter of restrictions that must be written. */
  readonly events = new EventEmitter<{ changed: [Restrictions] }>();
  private asking: Promise<void> | undefined;

  constructor(
    private readonly sessionId: string,
    private restrictions: Restrictions,
    private readonly dataSource: DataSource,
  ) {}

  /** Takes in what the platform says, asked or unasked. */
  apply(restriction: PlatformRestriction): void {
    const after = restrictionsAfter(this.restrictions, restriction, Date.now());
    if (after === this.restrictions) return;
    this.restrictions = after;
    const { sessionId } = this;
    log().info(
      { sessionId, ...restriction, stored: after[restriction.reason] },
      'restriction of new chats has changed',
    );
    this.events.emit('changed', after);
  }

  /** Asks the platform for its restrictions; one that does not answer has said nothing. */
  async ask(socket: PlatformSocket): Promise<PlatformRestriction[]> {
    const restrictions = await socket.restrictions();
    for (const restriction of restrictions) this.apply(restriction);
    return restrictions;
  }

  /**
   * Begins no other chat after a refused one, until the platform has given the reason. A platform that says that there is no restriction
   * meant that chat alone; one that does not say counts as restricting the number.
   */
  refused(socket: PlatformSocket): void {
    this.asking ??= this.ask(socket)
      .then((answers) => {
        const isExplained =
          answers.length === RESTRICTION_REASONS.length || answers.some((one) => one.isActive);
        if (!isExplained) this.apply({ reason: 'ACCOUNT_RESTRICTED', isActive: true });
      })
      .finally(() => (this.asking = undefined));
  }

  /**
   * Says why a message must not go out, if so. What may be on its way already is finished, and what was accepted while the
   * restriction was there to be seen has passed the gateway, which remembers contacts for longer.
   */
  async refusalOf(message: LedgerMessage, socket: PlatformSocket): Promise<RestrictionReason | undefined> {
    if (!this.asking && !this.current) return undefined;
    if (message.mayBeSent || isGroup(message.to) || this.isCheckedByGateway(message)) return undefined;
    if (await this.hasChat(message.to, socket)) return undefined;
    await this.asking;
    return this.current?.reason;
  }

  private get current() {
    return restrictionAt(this.restrictions, Date.now());
  }

  /** Says whether the gateway has checked the message: it reads the session, and writes the message within that time. */
  private isCheckedByGateway({ acceptedAt }: LedgerMessage): boolean {
    const { current } = this;
    return current !== null && acceptedAt.getTime() > Date.parse(current.since) + WRITE_WITHIN_MS;
  }

  /** Says whether the contact has written, or was sent something; a phone number may have written under its LID. */
  private async hasChat(chat: string, socket: PlatformSocket): Promise<boolean> {
    const addresses = await socket.addressesOf(chat);
    const [row] = await this.dataSource.query<{ hasChat: boolean }[]>(CHAT_SQL, [this.sessionId, addresses]);
    return row?.hasChat === true;
  }
}
