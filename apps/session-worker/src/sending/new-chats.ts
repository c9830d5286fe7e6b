import { RESTRICTION_REASONS, type RestrictionReason, WRITE_WITHIN_MS } from '@svc/contracts';
import { log } from '@svc/service';
import type { DataSource } from 'typeorm';
import type { PlatformRestriction, PlatformSocket } from '../platform/port.js';
import { restrictionAt, type Restrictions, restrictionsAfter } from '../sessions/restrictions.js';
import type { ClaimedMessage } from './claims.js';

// The sender of the journal comes first: its index finds one contact, the ledger's all messages of the session.
const KNOWN_SQL = `SELECT EXISTS (SELECT FROM inbound_message WHERE session_id = $1 AND sender = ANY($2::text[]))
  OR EXISTS (SELECT FROM outbound_message
    WHERE session_id = $1 AND to_jid = ANY($2::text[]) AND status IN ('SENT', 'DELIVERED', 'READ')) AS known`;

/** Whether one session may begin chats: what the platform has said of that, and to which messages it applies. */
export class NewChats {
  /** What is to be kept has changed. */
  onChange: () => void = () => undefined;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly sessionId: string,
    private restrictions: Restrictions,
    private readonly dataSource: DataSource,
  ) {}

  /** What is to be kept. */
  get kept(): Restrictions {
    return this.restrictions;
  }

  /** The platform says, asked or unasked, how things stand. */
  hear(told: PlatformRestriction): void {
    const after = restrictionsAfter(this.restrictions, told, Date.now());
    if (after === this.restrictions) return;
    this.restrictions = after;
    const { sessionId } = this;
    log().info({ sessionId, ...told, kept: after[told.reason] }, 'restriction of new chats has changed');
    this.onChange();
  }

  /** Asks how things stand; whoever does not answer has said nothing. */
  async ask(socket: PlatformSocket): Promise<PlatformRestriction[]> {
    const told = await socket.restrictions();
    for (const one of told) this.hear(one);
    return told;
  }

  /**
   * A new chat was refused: until it is known why, no other is begun. A platform that says that there is no restriction meant that chat
   * alone; one that does not say counts as restricting the number.
   */
  refused(socket: PlatformSocket): void {
    this.asking ??= this.ask(socket)
      .then((told) => {
        const isExplained = told.length === RESTRICTION_REASONS.length || told.some((one) => one.isActive);
        if (!isExplained) this.hear({ reason: 'ACCOUNT_RESTRICTED', isActive: true });
      })
      .finally(() => (this.asking = undefined));
  }

  /**
   * Why a message must not go out, if so. What may be on its way already is finished, and what was accepted while the
   * restriction was there to be seen has passed the gateway, which remembers contacts for longer.
   */
  async refusalOf(message: ClaimedMessage, socket: PlatformSocket): Promise<RestrictionReason | undefined> {
    if (!this.asking && !this.current) return undefined;
    if (message.begun || message.to_jid.endsWith('@g.us') || this.wasSeenBefore(message)) return undefined;
    if (await this.knows(message.to_jid, socket)) return undefined;
    await this.asking;
    return this.current?.reason;
  }

  private get current() {
    return restrictionAt(this.restrictions, Date.now());
  }

  /** The gateway looks at the session, and writes the message within that time. */
  private wasSeenBefore({ accepted_at: acceptedAt }: ClaimedMessage): boolean {
    const { current } = this;
    return current !== null && acceptedAt.getTime() > Date.parse(current.since) + WRITE_WITHIN_MS;
  }

  /** Whether the contact has written, or was sent something; a phone number may have written under its LID. */
  private async knows(chat: string, socket: PlatformSocket): Promise<boolean> {
    const addresses = await socket.addressesOf(chat);
    const [row] = await this.dataSource.query<{ known: boolean }[]>(KNOWN_SQL, [this.sessionId, addresses]);
    return row?.known === true;
  }
}
