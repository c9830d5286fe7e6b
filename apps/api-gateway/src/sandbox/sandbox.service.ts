import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ClockReply,
  invalidField,
  invalidFields,
  isLive,
  type Page,
  type PageQuery,
  type SessionStatus,
  type SessionView,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { SendPermissions } from '../auth/send-permissions.js';
import { MOST_AHEAD_S } from '../limits/sandbox-limits.js';
import { normalizePhone } from '../messages/recipient.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ContactWrites } from './contact-writes.js';
import type {
  ContactMessage,
  MagicNumber,
  ReadByContact,
  SandboxClock,
  WriteAsContactBody,
  WrittenAsContact,
} from './sandbox-bodies.js';
import { SandboxNumbers } from './sandbox-numbers.js';
import { SimulatorClient, SimulatorRefusal } from './simulator.client.js';

/** Time for which a call waits for the session to show a code, and then to be connected. */
const QR_LIMIT_MS = 10_000;
const LINK_LIMIT_MS = 15_000;
const LOOK_MS = 100;
/** Statuses of a session on its way to a QR code, or to the next one. */
const COMING: readonly SessionStatus[] = ['NEW', 'CONNECTING', 'RECONNECTING', 'AWAITING_SCAN'];

const ADVANCE_SQL = 'SELECT advance_sandbox_clock($1, $2)';
const MOST_AHEAD = `must leave the clock ten years ahead at most, which are ${MOST_AHEAD_S} seconds`;
/** SQLSTATE of a clock that would go further. */
const TOO_FAR = '22008';
const SANDBOX_SQL = 'SELECT id FROM tenant WHERE sandbox_of = $1';
const CLOCK_SQL = `SELECT svc_now($1) AS now, greatest(0, round(extract(epoch FROM svc_now($1) - svc_now())))::float8 AS ahead`;

/** A message on a contact's phone, as the simulator shows it. */
interface InboxMessage {
  id: string;
  text: string | null;
  content: Record<string, unknown>;
  receivedAt: string;
}

/** This class plays the far side of sandbox sessions – phone, contacts, clock – for tests that have no phone. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
    private readonly numbers: SandboxNumbers,
    private readonly simulator: SimulatorClient,
    private readonly permissions: SendPermissions,
    private readonly cursors: Cursors,
    private readonly writes: ContactWrites,
  ) {}

  /**
   * Scans the QR code of a session with a phone of its own; resolves when it is connected, or after a while as it is.
   * @throws AppError `QR_CONFLICT`
   */
  async scan(tenantId: string, sessionId: string): Promise<SessionView> {
    const { name } = await this.sessions.owned(tenantId, sessionId);
    const phone = await this.numbers.of(sessionId);
    await this.ask('POST', '/accounts', { phone, name });
    await this.scanWith(phone, tenantId, sessionId);
    const deadline = Date.now() + LINK_LIMIT_MS;
    let { status } = await this.sessions.owned(tenantId, sessionId);
    while (!isLive(status) && Date.now() < deadline) {
      await pause();
      ({ status } = await this.sessions.owned(tenantId, sessionId));
    }
    return this.sessions.view(tenantId, sessionId);
  }

  /** Unlinks the session, as the owner does in the list of linked devices on the phone. */
  async unlink(tenantId: string, sessionId: string): Promise<void> {
    const phone = await this.phoneOf(tenantId, sessionId);
    await this.ask('POST', `/accounts/${phone}/unlink`);
  }

  async write(tenantId: string, sessionId: string, body: WriteAsContactBody): Promise<WrittenAsContact> {
    const { text, content } = body;
    if (text !== undefined && content !== undefined) {
      throw invalidField('content', 'exactly one of text and content must be given');
    }
    const from = normalizePhone(body.from, 'from');
    const to = await this.phoneOf(tenantId, sessionId);
    await this.writes.take(tenantId);
    const message = { to, ...(text === undefined ? { content } : { text }) };
    const { id } = await this.ask<{ id: string }>('POST', `/contacts/${from}/messages`, message);
    return { keyId: id };
  }

  /** Lists what has arrived on a contact's phone from this session, newest first. */
  async received(
    tenantId: string,
    sessionId: string,
    contact: string,
    { limit = DEFAULT_LIMIT, before }: PageQuery,
  ): Promise<Page<ContactMessage>> {
    const from = await this.phoneOf(tenantId, sessionId);
    const phone = normalizePhone(contact);
    const list = `inbox:${tenantId}:${sessionId}:${phone}`;
    const last = this.cursors.decode(list, before);
    const query = `from=${from}&limit=${limit + 1}${last === undefined ? '' : `&before=${last}`}`;
    const { items } = await this.ask<{ items: InboxMessage[] }>(
      'GET',
      `/contacts/${phone}/messages?${query}`,
    );
    const messages = items.map(({ id, text, content, receivedAt }) => ({
      keyId: id,
      text,
      content,
      receivedAt,
    }));
    return this.cursors.page(list, messages.reverse(), limit, ({ keyId }) => keyId);
  }

  async read(tenantId: string, sessionId: string, contact: string): Promise<ReadByContact> {
    const from = await this.phoneOf(tenantId, sessionId);
    return this.ask('POST', `/contacts/${normalizePhone(contact)}/read`, { from });
  }

  async magicNumbers(): Promise<MagicNumber[]> {
    const { items } = await this.ask<{ items: MagicNumber[] }>('GET', '/magic-numbers');
    return items.map(({ phone, outcome }) => ({ phone: `+${phone}`, outcome }));
  }

  async clock(tenantId: string): Promise<SandboxClock> {
    const [row] = await this.dataSource.query<[{ now: Date; ahead: number }]>(CLOCK_SQL, [tenantId]);
    return { now: row.now.toISOString(), aheadSeconds: row.ahead };
  }

  async advance(tenantId: string, seconds: number): Promise<SandboxClock> {
    await this.move(tenantId, seconds * 1_000).catch(async (error: unknown) => {
      if (!isTooFar(error)) throw error;
      const { aheadSeconds } = await this.clock(tenantId);
      throw invalidField('advanceSeconds', `advanceSeconds ${MOST_AHEAD}: it is ${aheadSeconds} ahead`);
    });
    return this.clock(tenantId);
  }

  /**
   * Sets the clock of a tenant's sandbox back to real time.
   * @throws AppError `TENANT_NOT_FOUND`: there is no sandbox.
   */
  async resetClock(tenantId: string): Promise<ClockReply> {
    const [sandbox] = await this.dataSource.query<{ id: string }[]>(SANDBOX_SQL, [tenantId]);
    if (!sandbox) throw new AppError('TENANT_NOT_FOUND', 'The tenant has no sandbox.');
    await this.move(sandbox.id, null);
    const { now, aheadSeconds } = await this.clock(sandbox.id);
    return { now, offsetMs: aheadSeconds * 1_000 };
  }

  private async move(tenantId: string, ms: number | null): Promise<void> {
    await this.dataSource.query(ADVANCE_SQL, [tenantId, ms]);
    // Its keys may be over now.
    this.permissions.invalidate(tenantId);
  }

  private async phoneOf(tenantId: string, sessionId: string): Promise<string> {
    await this.sessions.owned(tenantId, sessionId);
    return this.numbers.of(sessionId);
  }

  /** Scans the code of a session. It may run out between being read and being scanned: then the next one is scanned. */
  private async scanWith(phone: string, tenantId: string, sessionId: string): Promise<void> {
    const deadline = Date.now() + QR_LIMIT_MS;
    for (;;) {
      try {
        const { qr } = await this.sessions.qr(tenantId, sessionId);
        await this.simulator.call('POST', `/accounts/${phone}/scan`, { qr });
        return;
      } catch (error) {
        const isRefused = error instanceof SimulatorRefusal;
        if (!isRefused && (error as AppError).code !== 'QR_CONFLICT') throw error;
        const { status } = await this.sessions.owned(tenantId, sessionId);
        if (COMING.includes(status) && Date.now() < deadline) await pause();
        else throw isRefused ? new AppError('QR_CONFLICT', undefined, { status }, { cause: error }) : error;
      }
    }
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    try {
      return await this.simulator.call<T>(method, path, body);
    } catch (error) {
      throw error instanceof SimulatorRefusal ? inOurWords(error) : error;
    }
  }
}

function isTooFar(error: unknown): boolean {
  return (error as { driverError?: { code?: string } }).driverError?.code === TOO_FAR;
}

function inOurWords(refusal: SimulatorRefusal): AppError {
  const options = { cause: refusal };
  if (refusal.code === 'ACCOUNT_NOT_FOUND') {
    const words = 'The session has no phone yet: POST /v1/sandbox/sessions/:id/scan gives it one.';
    return new AppError('SESSION_STATE_CONFLICT', words, {}, options);
  }
  if (refusal.code === 'CONTACT_NOT_REGISTERED') {
    return invalidField('from', 'from must be a number that is on the platform');
  }
  // The simulator's fields have the same names as ours where a tenant can get them wrong.
  if (refusal.status === 400 && refusal.fields.length > 0) return invalidFields(refusal.fields, refusal);
  return new AppError('SANDBOX_UNAVAILABLE', undefined, {}, options);
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));
