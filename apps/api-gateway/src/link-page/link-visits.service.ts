import { Injectable } from '@nestjs/common';
import {
  AppError,
  isLive,
  type PairingCode,
  type PasskeyView,
  type SessionState,
  type StatusReason,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { GatewayConfig } from '../config.js';
import { LiveService } from '../sessions/live.service.js';
import { PasskeyService } from '../sessions/passkey.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type SingleUseLink, SingleUseLinks } from '../single-use/single-use-links.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { drawQr } from '../widget/chat-link.js';
import { LinkEnd } from './link-end.js';
import type { LinkOffer, LinkProgress, OpenBody, OpenedLink } from './link-bodies.js';
import { NamesOnPages, PURPOSE } from './link-names.js';

/** Time for which a link holds from its opening on, in ms: room for a second try. */
const OPEN_MS = 30 * 60_000;
/** Pause before a session that could not connect is asked to do so once more, in ms. */
const PAUSE_MS = 30_000;
/** Ends that say nothing against another try. */
const USUAL_ENDS: ReadonlySet<StatusReason> = new Set(['QR_EXPIRED', 'USER_REQUEST'] as const);

/** This class does what somebody may who was sent a link: see whom it is from, agree, and link one number, step by step. */
@Injectable()
export class LinkVisits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: SingleUseLinks,
    private readonly names: NamesOnPages,
    private readonly sessions: SessionsService,
    private readonly live: LiveService,
    private readonly passkeys: PasskeyService,
    private readonly subscriptions: SubscriptionsService,
    private readonly audit: AuditService,
    private readonly end: LinkEnd,
    private readonly config: GatewayConfig,
  ) {}

  /** Says what a link is about. Nothing changes: programs look at links, too. */
  async look(token: string): Promise<LinkOffer> {
    const { tenantId, expiresAt, openedAt } = await this.links.find(PURPOSE, token);
    return {
      names: await this.names.of(tenantId),
      expiresAt: expiresAt.toISOString(),
      isOpened: openedAt !== null,
    };
  }

  /** Notes that the person agrees, and opens the link for this browser. */
  async open({ token, language }: OpenBody): Promise<OpenedLink> {
    const { tenantId, subject } = await this.links.find(PURPOSE, token);
    const names = await this.names.of(tenantId);
    // Refuses here what the first step would refuse: the link can still be opened later.
    await this.subscriptions.active(tenantId);
    const { key, link } = await this.dataSource.transaction(async (tx) => {
      const opened = await this.links.open(tx, PURPOSE, token, { lifeMs: OPEN_MS, details: { language } });
      const fact = { tenantId, actor: 'link', action: 'link_page.consented', target: subject };
      await this.audit.write({ ...fact, details: { names } }, tx);
      return opened;
    });
    return { key, expiresAt: link.expiresAt.toISOString() };
  }

  /** Says how far the link is. Asking keeps QR codes coming. */
  async progress(key: string): Promise<LinkProgress> {
    const link = await this.links.held(PURPOSE, key);
    const { tenantId, subject, expiresAt } = link;
    const session = await this.sessions.owned(tenantId, subject);
    const state = {
      ...{ names: await this.names.of(tenantId), expiresAt: expiresAt.toISOString() },
      ...{ qr: null, phone: null, returnUrl: null, helperUrl: this.config.linkHelperUrl ?? null },
    };
    if (link.isUsed || isLive(session.status)) return { ...state, ...(await this.linked(link, session)) };
    if (session.status === 'PASSKEY_REQUIRED') return { ...state, stage: 'passkey' };
    const qr = session.status === 'AWAITING_SCAN' ? await this.qrOf(tenantId, subject) : undefined;
    if (qr !== undefined) return { ...state, stage: 'scan', qr: drawQr(qr) };
    if (mayConnect(session)) await this.sessions.connect(await this.subscriptions.active(tenantId), subject);
    return { ...state, stage: 'waiting' };
  }

  async typedCode(key: string, phone: string): Promise<PairingCode> {
    const { tenantId, subject } = await this.openFor(key);
    return this.live.pairingCode(await this.subscriptions.active(tenantId), subject, phone);
  }

  async passkey(key: string): Promise<PasskeyView> {
    const { tenantId, subject } = await this.openFor(key);
    return this.passkeys.get(tenantId, subject);
  }

  async confirmPasskey(key: string, code: string): Promise<PasskeyView> {
    const { tenantId, subject } = await this.openFor(key);
    return this.passkeys.confirm(tenantId, subject, code);
  }

  async giveUpPasskey(key: string): Promise<void> {
    const { tenantId, subject } = await this.openFor(key);
    await this.passkeys.giveUp(tenantId, subject);
  }

  /** Says that the number is linked, and ends the link where that was not noted yet. */
  private async linked(
    { tenantId, subject, details }: SingleUseLink,
    { phone }: SessionState,
  ): Promise<Pick<LinkProgress, 'stage' | 'phone' | 'returnUrl'>> {
    if (phone !== null) await this.end.linked(tenantId, subject, phone);
    const returnUrl = typeof details['returnUrl'] === 'string' ? details['returnUrl'] : null;
    return { stage: 'linked', phone: phone && `…${phone.slice(-3)}`, returnUrl };
  }

  /** Reads the QR code; undefined: it is just being drawn anew. */
  private async qrOf(tenantId: string, sessionId: string): Promise<string | undefined> {
    try {
      return (await this.sessions.qr(tenantId, sessionId)).qr;
    } catch (error) {
      if ((error as AppError).code === 'QR_CONFLICT') return undefined;
      throw error;
    }
  }

  /** Finds the link of a browser for a step: there is none on a number that is linked. @throws AppError `LINK_NOT_FOUND`, `LINK_ENDED`, `LINK_PAGE_NOT_ALLOWED` */
  async openFor(key: string): Promise<SingleUseLink> {
    const link = await this.links.held(PURPOSE, key);
    if (link.isUsed) throw new AppError('LINK_ENDED', undefined, { reason: 'USED' });
    await this.names.of(link.tenantId);
    return link;
  }
}

/** Says whether a session that rests is to be asked to connect: one that could not is left alone for a while. */
function mayConnect({ status, statusReason, statusSince }: SessionState): boolean {
  if (status === 'LOGGED_OUT') return true;
  if (status !== 'DISCONNECTED') return false;
  return USUAL_ENDS.has(statusReason) || Date.now() - Date.parse(statusSince) >= PAUSE_MS;
}
